// Where the time of a step goes, rank by rank.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"use strict";

/** Rows {rank, whole, kernels, ...} in microseconds of a step: of the trace, else of the summaries, which tell fewer parts. */
function splitOf(report) {
  if (report.trace) return listOf(report.trace.split);
  return listOf(report.result && report.result.summaries).map((summary) => {
    const steps = Math.max(1, summary.steps - summary.steps_before),
      us = 1e6 / steps;
    const parts = {
      kernels: summary.compute_seconds * us,
      communication: summary.communication_seconds * us,
      data: summary.data_seconds * us,
    };
    const whole = summary.run_seconds * us;
    return {rank: summary.rank, whole, ...parts, loops: 0, waiting: 0, other: Math.max(0, whole - sumOf(Object.values(parts)))};
  });
}

function makeSplitBar(row, longest) {
  const bar = make("div", {class: "stack", style: `width:${(100 * row.whole) / longest}%`});
  for (const [kind, text] of KINDS) {
    const part = row[kind];
    if (!(part > 0)) continue;
    const share = part / longest;
    bar.append(
      make(
        "span",
        {
          style: `width:${(100 * part) / row.whole}%;${paint(kind)}`,
          class: share > 0.2 ? "wide" : "",
          title: `${text}: ${spellTime(part)}, ${spellPart(part, row.whole)}`,
        },
        share > 0.2 && !isHatched(kind) ? spellTime(part) : "",
      ),
    );
  }
  return bar;
}

function makeSplit(report) {
  const rows = splitOf(report);
  if (!rows.length) return null;
  const longest = Math.max(...rows.map((row) => row.whole));
  const kinds = new Set(KINDS.map(([kind]) => kind).filter((kind) => rows.some((row) => row[kind] > 0)));
  const names = new Map(KINDS);
  if (!report.trace) names.set("kernels", "computation");
  const bars = make("div", {class: "rows", role: "img", "aria-label": "Parts of a step of each rank; the table below has the numbers"});
  for (const row of rows) bars.append(make("span", {class: "label"}, `rank ${row.rank}`), makeSplitBar(row, longest));
  bars.append(
    make("span", {}),
    make("div", {class: "ticks"}, ...[0, 0.25, 0.5, 0.75, 1].map((part) => make("span", {}, spellTime(part * longest)))),
  );
  const legend = makeLegend([...names].filter(([kind]) => kinds.has(kind)).map(([kind, text]) => [makeSample(kind), text]));
  const table = makeTable(
    "Mean time of a step and its parts",
    [
      {title: "rank", of: (row) => String(row.rank)},
      {title: "step", of: (row) => spellTime(row.whole), number: true},
      ...[...names]
        .filter(([kind]) => kinds.has(kind))
        .map(([kind, text]) => ({title: text, number: true, of: (row) => `${spellTime(row[kind])}, ${spellPart(row[kind], row.whole)}`})),
    ],
    rows,
  );
  return make("div", {class: "panel"}, make("div", {class: "caption"}, legend), bars, makeDetails("As a table", table));
}

const describeSplit = (report) =>
  report.trace
    ? `Means over steps ${spellCount(report.trace.first)} to ${spellCount(report.trace.last)}, which were traced. Waiting is what a rank spends in ` +
      "collectives for ranks that come later; communication is the rest of them that nothing hides."
    : "Means over all steps, the first included. Kernels, loops and waiting apart need a trace: dist-run --report traces 40 steps.";
