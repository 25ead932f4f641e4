// One step of median length, span by span, of all ranks on one axis of time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"use strict";

/** The kind of KINDS that a span's time counts as. What the compute thread (lane 0) spends in communication is exposed. */
function kindOfSpan([, lane, kind, , , ,], name) {
  if (kind === "kernel") return "kernels";
  if (kind === "phase") return name === "load data" ? "data" : name === "run @step" ? "loops" : "other";
  return lane === 0 || kind === "collective" ? "communication" : "other";
}

/** A rectangle, and its name where there is room. Places are parts of the whole, so that the drawing has any width. */
function makeSpan(span, name, length, height) {
  const [rank, lane, kind, , begin, duration, waiting] = span;
  const colour = kindOfSpan(span, name),
    isRun = name === "run @step";
  const percent = (value) => (100 * value) / length + "%";
  const box = makeSvg("svg", {
    x: percent(begin),
    width: percent(Math.max(duration, length / 4000)),
    y: isRun ? height - 6 : 0,
    height: isRun ? 6 : height - 8,
  });
  const isExposed = lane === 0 && colour === "communication";
  box.append(makeSvg("rect", {width: "100%", height: "100%", fill: `var(--${colour})`, rx: 1}));
  if (colour === "communication")
    box.append(makeSvg("rect", {width: "100%", height: "100%", fill: "url(#exposed)", "pointer-events": "none"}));
  if (waiting > 0 && duration > 0)
    for (const fill of ["var(--waiting)", "url(#waited)"])
      box.append(makeSvg("rect", {width: percent((waiting / duration) * length), height: "100%", fill, "pointer-events": "none"}));
  if (duration / length > 0.06 && !isRun && colour !== "communication") box.append(makeSvg("text", {x: 4, y: height / 2, style: `fill: var(--on-${colour})`}, name));
  const words = [`rank ${rank}`, name, spellTime(duration), `from ${spellTime(begin)}`];
  if (isExposed) words.push("exposed communication");
  else if (colour === "communication") words.push("beside computation");
  if (waiting > 0) words.push(`of it ${spellTime(waiting)} waiting for other ranks`);
  const group = makeSvg("g", {class: "span"}, makeSvg("title", {}, words.join(", ")), box);
  group.dataset.words = words.join(", ");
  return group;
}

function makeLane(spans, timeline, label) {
  const height = 34;
  const svg = makeSvg("svg", {width: "100%", height, "aria-hidden": "true"});
  // Long ones first: short ones stay on top, and visible.
  for (const span of [...spans].sort((a, b) => b[5] - a[5])) svg.append(makeSpan(span, timeline.names[span[3]], timeline.length, height));
  return make("div", {}, make("span", {class: "lane-name"}, label), svg);
}

/** The patterns of exposed communication and of waiting, once in the page; as in the legend. */
function makePatterns() {
  const svg = makeSvg("svg", {width: 0, height: 0, "aria-hidden": "true", style: "position:absolute"});
  const makePattern = (id, angle, width) => {
    const pattern = makeSvg("pattern", {id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: `rotate(${angle})`});
    pattern.append(makeSvg("rect", {width, height: 6, fill: "var(--hatch)"}));
    return pattern;
  };
  svg.append(makeSvg("defs", {}, makePattern("exposed", 45, 1.5), makePattern("waited", -45, 2)));
  return svg;
}

function makeZoom(inner) {
  let factor = 1;
  const zoom = (by) => {
    factor = Math.min(64, Math.max(1, factor * by));
    inner.style.width = 100 * factor + "%";
  };
  const button = (text, name, by) => {
    const made = make("button", {type: "button", "aria-label": name}, text);
    made.addEventListener("click", () => zoom(by));
    return made;
  };
  return make(
    "div",
    {class: "tools"},
    button("−", "Zoom out", 1 / 2),
    button("+", "Zoom in", 2),
    button("whole step", "Show the whole step", 0),
  );
}

function makeTimeline(report) {
  const timeline = report.trace && report.trace.timeline;
  if (!timeline) return null;
  const inner = make("div", {});
  const kinds = new Set();
  for (const span of timeline.spans) {
    kinds.add(kindOfSpan(span, timeline.names[span[3]]));
    if (span[6] > 0) kinds.add("waiting");
  }
  for (let rank = 0; rank < timeline.ranks; ++rank)
    for (const [lane, label] of [
      [0, `rank ${rank}, computation`],
      [1, `rank ${rank}, communication beside it`],
    ]) {
      const spans = timeline.spans.filter((span) => span[0] === rank && span[1] === lane);
      if (spans.length) inner.append(makeLane(spans, timeline, label));
    }
  inner.append(
    make("div", {class: "ticks"}, ...[0, 1, 2, 3, 4].map((quarter) => make("span", {}, spellTime((timeline.length * quarter) / 4)))),
  );
  const readout = make("p", {class: "readout"}, "Point at a span to read it.");
  inner.addEventListener("mouseover", (event) => {
    const span = event.target.closest(".span");
    if (span) readout.textContent = span.dataset.words;
  });
  const drawing = make(
    "div",
    {class: "drawing", tabindex: "0", role: "img", "aria-label": `Spans of step ${timeline.step}; the table below has them`},
    inner,
  );
  const rows = [...timeline.spans].sort((a, b) => a[0] - b[0] || a[4] - b[4]).slice(0, 400);
  const table = makeTable(
    "Spans, by rank and begin" + (timeline.spans.length > rows.length ? `; the first ${rows.length}` : ""),
    [
      {title: "rank", of: (span) => String(span[0])},
      {title: "span", of: (span) => timeline.names[span[3]], name: true},
      {title: "kind", of: (span) => new Map(KINDS).get(kindOfSpan(span, timeline.names[span[3]]))},
      {title: "begin", of: (span) => spellTime(span[4]), number: true},
      {title: "length", of: (span) => spellTime(span[5]), number: true},
      {title: "waiting", of: (span) => (span[6] ? spellTime(span[6]) : ""), number: true},
    ],
    rows,
  );
  return make(
    "div",
    {class: "panel"},
    makePatterns(),
    make("div", {class: "caption"}, makeKindLegend(kinds), makeZoom(inner)),
    drawing,
    readout,
    timeline.left_out ? make("p", {class: "absent"}, `${spellCount(timeline.left_out)} shorter spans are not drawn.`) : null,
    makeDetails("As a table", make("div", {class: "tall"}, table)),
  );
}
