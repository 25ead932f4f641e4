// What a launch does before its first step, process by process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"use strict";

/** The colour of a part of the start, and what it stands for. */
function colourOfStart([, kind, name]) {
  if (kind === "collective" || /rendezvous|plans|servers/.test(name)) return "communication";
  if (/data/.test(name)) return "data";
  return /compile|model/.test(name) ? "kernels" : "other";
}

const START_KINDS = [
  ["kernels", "compiling"],
  ["data", "data"],
  ["communication", "meeting and exchanging"],
  ["other", "other"],
];

function makeStartLane(spans, whole, label) {
  const lane = make("div", {class: "start-lane", "aria-hidden": "true"});
  // Long ones first: short ones stay on top, and visible.
  for (const span of [...spans].sort((a, b) => b[4] - a[4])) {
    const [, , name, begin, length] = span;
    const share = length / whole;
    lane.append(
      make(
        "span",
        {style: `left:${(100 * begin) / whole}%;width:${Math.max(100 * share, 0.15)}%;${paint(colourOfStart(span))}`, title: `${name}: ${spellTime(length)}`},
        share > 0.2 && colourOfStart(span) !== "communication" ? name : "",
      ),
    );
  }
  return [make("span", {class: "label"}, label), lane];
}

function makeStart(report) {
  const start = listOf(report.trace && report.trace.start);
  if (!start.length) return null;
  const whole = Math.max(...start.map((span) => span[3] + span[4]));
  const nameOf = (rank) => (rank < 0 ? "dist-run" : `rank ${rank}`);
  const processes = [...new Set(start.map((span) => span[0]))].sort((a, b) => a - b);
  const colours = new Set(start.map(colourOfStart));
  const rows = make("div", {class: "rows"});
  for (const process of processes) {
    rows.append(...makeStartLane(start.filter((span) => span[0] === process), whole, nameOf(process)));
  }
  rows.append(make("span", {}), make("div", {class: "ticks"}, ...[0, 0.25, 0.5, 0.75, 1].map((part) => make("span", {}, spellTime(part * whole)))));
  const longest = Math.max(...start.map((span) => span[4]));
  const table = makeTable(
    "Parts of the start",
    [
      {title: "process", of: (span) => nameOf(span[0])},
      {title: "part", of: (span) => span[2], name: true},
      {title: "", bar: true, of: (span) => makeMeter(span[4] / longest, colourOfStart(span))},
      {title: "begin", of: (span) => spellTime(span[3]), number: true},
      {title: "length", of: (span) => spellTime(span[4]), number: true},
    ],
    [...start].sort((a, b) => a[0] - b[0] || a[3] - b[3]),
  );
  return make(
    "div",
    {class: "panel"},
    make("div", {class: "caption"}, makeLegend(START_KINDS.filter(([kind]) => colours.has(kind)).map(([kind, text]) => [makeSample(kind), text]))),
    rows,
    makeDetails("As a table", make("div", {class: "tall"}, table)),
  );
}
