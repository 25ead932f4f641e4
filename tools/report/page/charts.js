// Metrics over steps, drawn by uPlot.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"use strict";

/** What one run says of one metric: {steps, means, least, largest, evaluated: [[step, value]]}. */
function curveOf(run, name) {
  const curve = (run && run.curve) || {};
  const names = [...listOf(curve.names), "samples_per_second"];
  const index = names.indexOf(name);
  const points = index < 0 ? [] : listOf(curve.points).filter((point) => isNumber(point[2][index]));
  return {
    steps: points.map((point) => point[1]),
    means: points.map((point) => point[2][index]),
    least: points.map((point) => point[3][index]),
    largest: points.map((point) => point[4][index]),
    evaluated: listOf(curve.evaluations)
      .map((one) => [one.step, (one.values || {})[name]])
      .filter(([, value]) => isNumber(value)),
  };
}

function metricNames(run) {
  const curve = (run && run.curve) || {};
  const names = new Set(listOf(curve.names));
  for (const one of listOf(curve.evaluations)) Object.keys(one.values || {}).forEach((name) => names.add(name));
  if (listOf(curve.points).length) names.add("samples_per_second");
  return [...names];
}

/** The lines of a chart: label, colour, dash, points, values by step. */
function linesOf(name, runs) {
  const lines = [];
  runs.forEach(({run, label, colour}, number) => {
    const curve = curveOf(run, name),
      of = runs.length > 1 ? `, ${label}` : "";
    const dash = number ? [6, 4] : [];
    if (curve.steps.length) {
      const isBand = curve.least.some((value, i) => value !== curve.largest[i]) && name !== "samples_per_second";
      if (isBand) {
        lines.push({label: "largest" + of, colour, isBand, steps: curve.steps, values: curve.largest});
        lines.push({label: "least" + of, colour, isBand, steps: curve.steps, values: curve.least});
      }
      const what = name === "samples_per_second" ? "samples a second" : "training";
      lines.push({label: what + of, colour, dash, steps: curve.steps, values: curve.means});
    }
    if (curve.evaluated.length)
      lines.push({
        label: "evaluation" + of,
        colour: number ? "waiting" : "data",
        dash,
        isMarked: true,
        steps: curve.evaluated.map(([step]) => step),
        values: curve.evaluated.map(([, value]) => value),
      });
  });
  return lines;
}

/** One list of steps for all lines, as uPlot wants it; null where a line has none. */
function alignLines(lines) {
  const steps = [...new Set(lines.flatMap((line) => line.steps))].sort((a, b) => a - b);
  const places = new Map(steps.map((step, i) => [step, i]));
  const columns = lines.map((line) => {
    const column = new Array(steps.length).fill(null);
    line.steps.forEach((step, i) => {
      column[places.get(step)] = line.values[i];
    });
    return column;
  });
  return [steps, ...columns];
}

function makeLineSample(line) {
  const svg = makeSvg("svg", {width: 26, height: 10, "aria-hidden": "true"});
  svg.append(
    makeSvg("line", {
      x1: 0,
      y1: 5,
      x2: 26,
      y2: 5,
      stroke: `var(--${line.colour})`,
      "stroke-width": 2,
      "stroke-dasharray": line.dash.join(" "),
    }),
  );
  if (line.isMarked)
    svg.append(makeSvg("circle", {cx: 13, cy: 5, r: 3.5, fill: "var(--surface)", stroke: `var(--${line.colour})`, "stroke-width": 2}));
  return svg;
}

function axisOf(title, side, unit) {
  const font = "12px system-ui, sans-serif",
    stroke = colourOf("quiet"),
    grid = {stroke: colourOf("grid"), width: 1};
  const axis = {label: title, stroke, grid, ticks: {show: false}, font, labelFont: font, labelSize: 20, gap: 6};
  if (side === "y")
    Object.assign(axis, {size: 58, values: (_, values) => values.map((value) => (value === null ? "" : spellNumber(value) + unit))});
  else
    Object.assign(axis, {
      size: 30,
      incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 1e8, 1e9],
      values: (_, values) => values.map((value) => (value === null ? "" : spellCount(value))),
    });
  return axis;
}

function seriesOf(line) {
  const colour = colourOf(line.colour);
  if (line.isBand) return {label: line.label, stroke: "transparent", spanGaps: true, points: {show: false}};
  const isShort = line.steps.length < 3;
  return {
    label: line.label,
    stroke: colour,
    width: 1.75,
    dash: line.dash,
    spanGaps: true,
    points: {show: line.isMarked || isShort, size: 7, stroke: colour, fill: colourOf("surface"), width: 1.75},
  };
}

function drawChart(place, name, lines, isLogarithmic, tell) {
  const bands = [];
  lines.forEach((line, i) => {
    if (line.isBand && line.label.startsWith("largest")) bands.push({series: [i + 1, i + 2], fill: colourOf(line.colour) + "33"});
  });
  const data = alignLines(lines);
  const options = {
    width: Math.max(200, place.clientWidth),
    height: 250,
    bands,
    cursor: {y: false, points: {size: 7}},
    legend: {show: false},
    scales: {x: {time: false}, y: isLogarithmic ? {distr: 3} : {}},
    axes: [axisOf("step", "x", ""), axisOf(spellName(name), "y", "")],
    series: [{}, ...lines.map(seriesOf)],
    hooks: {
      setCursor: [
        (plot) => {
          const at = plot.cursor.idx;
          if (at === null || at === undefined) return tell("");
          const parts = lines.map((line, i) => [line.label, data[i + 1][at]]).filter(([, value]) => value !== null);
          tell(`step ${spellCount(data[0][at])}: ` + parts.map(([label, value]) => `${label} ${spellNumber(value)}`).join(", "));
        },
      ],
    },
  };
  return new uPlot(options, data, place);
}

/** A chart that keeps the width of its panel and follows the colour scheme, with the same numbers as a table. */
function makeChart(name, runs) {
  const lines = linesOf(name, runs);
  const shown = lines.filter((line) => !line.isBand);
  const canBeLogarithmic = lines.every((line) => line.values.every((value) => value > 0));
  const place = make("div", {class: "chart", role: "img", "aria-label": describeChart(name, shown)});
  const readout = make("p", {class: "readout"}, " ");
  let plot = null,
    isLogarithmic = false;
  const draw = () => {
    if (plot) plot.destroy();
    plot = drawChart(place, name, lines, isLogarithmic, (text) => {
      readout.textContent = text || " ";
    });
  };
  const tools = make("div", {class: "tools"});
  if (canBeLogarithmic && name !== "samples_per_second") {
    const button = make("button", {type: "button", "aria-pressed": "false"}, "log scale");
    button.addEventListener("click", () => {
      isLogarithmic = !isLogarithmic;
      button.setAttribute("aria-pressed", String(isLogarithmic));
      draw();
    });
    tools.append(button);
  }
  const samples = shown.map((line) => [makeLineSample(line), line.label]);
  if (lines.some((line) => line.isBand))
    samples.push([
      make("span", {style: "display:inline-block;width:26px;height:10px;background:var(--first);opacity:.2"}),
      "least to largest",
    ]);
  const panel = make(
    "div",
    {class: "panel"},
    make("div", {class: "caption"}, make("h3", {}, spellName(name)), makeLegend(samples), tools),
    place,
    readout,
    makeDetails(
      "As a table",
      makeTable(
        spellName(name),
        [
          {title: "step", of: ([step]) => spellCount(step), number: true},
          ...shown.map((line, i) => ({title: line.label, of: (row) => spellNumber(row[i + 1]), number: true})),
        ],
        thinRows(alignLines(shown)),
      ),
    ),
  );
  const fit = () => {
    if (!plot) draw();
    else if (plot.width !== place.clientWidth) plot.setSize({width: Math.max(200, place.clientWidth), height: 250});
  };
  // In a frame of its own: a size that changes while sizes are told of is told of again.
  new ResizeObserver(() => requestAnimationFrame(fit)).observe(place);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  return panel;
}

function describeChart(name, lines) {
  return (
    `${spellName(name)} over steps: ` +
    lines
      .map((line) => `${line.label} from ${spellNumber(line.values[0])} to ${spellNumber(line.values[line.values.length - 1])}`)
      .join("; ")
  );
}

/** At most some 60 rows, evenly, the last among them. */
function thinRows([steps, ...columns]) {
  const every = Math.ceil(steps.length / 60);
  return steps.map((step, i) => [step, ...columns.map((column) => column[i])]).filter((_, i) => i % every === 0 || i === steps.length - 1);
}
