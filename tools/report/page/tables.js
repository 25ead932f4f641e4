// Kernels, collectives, lints and remarks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"use strict";

const makeMeter = (part, colour) =>
  make("span", {
    class: "meter",
    "aria-hidden": "true",
    style: `width:${Math.max(0, Math.min(100, 100 * part))}%;background:var(--${colour})`,
  });

function makeKernels(report) {
  const kernels = listOf(report.trace && report.trace.kernels);
  if (!kernels.length) return null;
  const most = kernels[0].total,
    step = Math.max(...listOf(report.trace.split).map((row) => row.whole));
  const more = report.trace.kernels_left_out;
  return make(
    "div",
    {class: "panel"},
    makeTable(
      "Time of a rank in a step" + (more ? `; ${more} shorter kernels are not shown` : ""),
      [
        {title: "kernel", of: (row) => row.name, name: true},
        {title: "", bar: true, of: (row) => makeMeter(row.total / most, "kernels")},
        {title: "of a step", of: (row) => spellTime(row.total), number: true},
        {title: "part", of: (row) => spellPart(row.total, step), number: true},
        {title: "calls a step", of: (row) => spellNumber(row.calls), number: true},
        {title: "mean", of: (row) => spellTime(row.mean), number: true},
        {title: "longest", of: (row) => spellTime(row.longest), number: true},
      ],
      kernels,
    ),
  );
}

/** Measured beside predicted; the measured time without waiting is what the model predicts. */
function makePrediction(report) {
  const collectives = listOf(report.trace && report.trace.collectives);
  if (!collectives.length) return null;
  const isPredicted = collectives.some((row) => isNumber(row.predicted));
  const work = (row) => row.mean - row.waiting;
  const longest = Math.max(...collectives.map((row) => Math.max(work(row), row.predicted || 0)));
  const bars = (row) =>
    make(
      "div",
      {},
      makeMeter(work(row) / longest, "communication"),
      isNumber(row.predicted) ? makeMeter(row.predicted / longest, "loops") : null,
    );
  const columns = [
    {title: "collective", of: (row) => row.name, name: true},
    {title: "", bar: true, of: bars},
    {title: "bytes", of: (row) => spellBytes(row.bytes), number: true},
    {title: "measured", of: (row) => spellTime(work(row)), number: true},
  ];
  if (isPredicted)
    columns.push(
      {title: "predicted", of: (row) => spellTime(row.predicted), number: true},
      {title: "measured / predicted", of: (row) => (row.predicted > 0 ? (work(row) / row.predicted).toFixed(2) : "-"), number: true},
    );
  columns.push({title: "waiting", of: (row) => spellTime(row.waiting), number: true});
  const legend = [[makeSample("communication"), "measured"]];
  if (isPredicted) legend.push([makeSample("loops"), "predicted by the cost model"]);
  return make(
    "div",
    {class: "panel"},
    make("div", {class: "caption"}, makeLegend(legend)),
    makeTable("Mean of a call, without waiting for other ranks", columns, collectives),
    isPredicted
      ? null
      : make(
          "p",
          {class: "absent"},
          "Nothing is predicted: measure the machine with dist-run --calibrate cluster.json, and train with --cluster cluster.json.",
        ),
  );
}

/** What a step took its time for, across ranks. */
function makePath(report) {
  const path = listOf(report.trace && report.trace.timeline && report.trace.timeline.path);
  if (!path.length) return null;
  const whole = sumOf(path.map((piece) => piece[4])),
    longest = Math.max(...path.map((piece) => piece[4]));
  const colours = {computation: "kernels", communication: "communication", data: "data"};
  return make(
    "div",
    {class: "panel tall"},
    makeTable(
      "In the order of time; a shorter step needs one of these to be shorter",
      [
        {title: "rank", of: (piece) => String(piece[0])},
        {title: "kind", of: (piece) => piece[1]},
        {title: "what", of: (piece) => piece[2], name: true},
        {title: "", bar: true, of: (piece) => makeMeter(piece[4] / longest, colours[piece[1]] || "other")},
        {title: "length", of: (piece) => spellTime(piece[4]), number: true},
        {title: "part", of: (piece) => spellPart(piece[4], whole), number: true},
      ],
      path.slice(0, 400),
    ),
  );
}

/** Who came last to collectives, and what the others lost. */
function makeLateness(report) {
  const late = report.trace && report.trace.late;
  if (!late || !listOf(late.ranks).length) return null;
  const most = Math.max(1e-9, ...late.ranks.map((row) => row.cost));
  return make(
    "div",
    {class: "panel"},
    makeTable(
      `Of ${spellCount(late.collectives)} collectives of all ranks`,
      [
        {title: "rank", of: (row) => String(row.rank)},
        {title: "came last to", of: (row) => spellCount(row.last), number: true},
        {title: "part", of: (row) => spellPart(row.last, late.collectives), number: true},
        {title: "", bar: true, of: (row) => makeMeter(row.cost / most, "waiting")},
        {title: "each other rank waited for it", of: (row) => spellTime(row.cost), number: true},
      ],
      late.ranks,
    ),
  );
}

/** What to write to change what a lint found; docs/trace.md has the same table. */
const REMEDIES = {
  "batch-statistics": '--distribute="sync-batch-norm=true"',
  "local-count": "reduce sum and count, then divide",
  "norm-before-reduce": "reduce, then take the norm, then scale",
  "no-gradient": "freeze it, or mend the graph",
  "equal-seed": "leave the seed away, or draw per_rank",
};

function makeLints(report) {
  const found = listOf(report.remarks).filter((remark) => remark.args && remark.args.lint);
  if (!report.remarks) return null;
  if (!found.length) return make("p", {class: "absent"}, "No lint found anything.");
  return make(
    "div",
    {class: "panel"},
    makeTable(
      "Right as a program, but seldom meant on many ranks",
      [
        {title: "lint", of: (remark) => String(remark.args.lint)},
        {title: "node", of: (remark) => remark.node || "-"},
        {title: "finding", of: (remark) => remark.message, name: true},
        {title: "instead", of: (remark) => make("code", {}, REMEDIES[remark.args.lint] || "-"), name: true},
      ],
      found,
    ),
  );
}

function makeRemarks(report) {
  const remarks = listOf(report.remarks);
  if (!remarks.length) return null;
  const search = make("input", {type: "search", placeholder: "node, pass or words", "aria-label": "Show only remarks with these words"});
  const table = makeTable(
    `${remarks.length} remarks`,
    [
      {title: "pass", of: (remark) => remark.pass},
      {title: "kind", of: (remark) => make("span", {class: "tag"}, remark.kind)},
      {title: "node", of: (remark) => remark.node || ""},
      {title: "remark", of: (remark) => remark.message, name: true},
    ],
    remarks,
  );
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase();
    table.querySelectorAll("tbody tr").forEach((row) => {
      row.hidden = !row.textContent.toLowerCase().includes(words);
    });
  });
  return makeDetails(`All remarks of the compiler: ${remarks.length}`, search, make("div", {class: "tall"}, table));
}
