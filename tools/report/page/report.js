// The page: its head, and its sections in order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"use strict";

const STATES = {
  finished: "finished",
  stopped: "stopped",
  failed: "failed",
  running: "running when this was written",
  unknown: "ended without a word",
};

/** A word as a shell takes it. */
const quote = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`);

/** Each option on a line of its own. */
function spellCommand(words) {
  return listOf(words)
    .map((word, i) => (i && /^--?[a-z]/.test(word) ? " \\\n    " : i ? " " : "") + quote(String(word)))
    .join("");
}

function factsOf(report) {
  const run = report.run || {},
    summaries = listOf(report.result && report.result.summaries),
    first = summaries[0];
  const points = listOf((report.curve || {}).points),
    lastPoint = points[points.length - 1];
  const facts = [["ranks", isNumber(run.ranks) ? spellCount(run.ranks) : null, run.threads > 1 ? `${run.threads} threads each` : null]];
  const done = first ? first.steps : lastPoint && lastPoint[1],
    wanted = first ? first.steps_wanted : run.steps;
  facts.push(["steps", spellCount(done), isNumber(wanted) && wanted !== done ? `of ${spellCount(wanted)}` : null]);
  const loss = curveOf(report, "loss"),
    last = loss.means[loss.means.length - 1];
  if (first) facts.push(["loss", spellNumber(first.last_loss), `from ${spellNumber(first.first_loss)}`]);
  else if (isNumber(last)) facts.push(["loss", spellNumber(last), `from ${spellNumber(loss.means[0])}`]);
  const evaluations = listOf((report.curve || {}).evaluations),
    evaluation = evaluations[evaluations.length - 1];
  for (const [name, value] of Object.entries((evaluation && evaluation.values) || {}).slice(0, 3))
    facts.push([`${spellName(name)}, evaluation`, spellNumber(value), `after step ${spellCount(evaluation.step)}`]);
  if (first) {
    const mean = (key) => sumOf(summaries.map((summary) => summary[key])) / summaries.length;
    facts.push(["time", spellTime(mean("run_seconds") * 1e6), `${spellTime(mean("first_step_seconds") * 1e6)} of it the first step`]);
    facts.push(["median step", spellTime(mean("median_step_seconds") * 1e6), `95 % below ${spellTime(mean("p95_step_seconds") * 1e6)}`]);
    facts.push(["memory", spellBytes(Math.max(...summaries.map((summary) => summary.peak_bytes))), "peak of a rank"]);
  }
  return facts.filter(([, value]) => value && value !== "-");
}

function fillHead(report) {
  const run = report.run || {},
    name = (report.program && report.program.name) || run.model || report.folder || "Run";
  document.title = `${name}: run report`;
  const when = isNumber(run.started) ? new Date(run.started * 1000).toISOString().replace("T", " ").slice(0, 16) + " UTC" : "";
  const under = [
    run.model,
    run.dataset && `data ${run.dataset}`,
    run.evaluate && `evaluated on ${run.evaluate}`,
    when,
    run.host && `on ${run.host}`,
  ].filter(Boolean);
  const head = document.getElementById("masthead");
  head.append(
    make(
      "div",
      {class: "line"},
      make("h1", {}, name),
      make("span", {class: `state ${report.state}`}, STATES[report.state] || String(report.state)),
    ),
    make("p", {class: "under"}, under.join(" · ")),
  );
  if (report.note) head.append(make("p", {class: "note"}, report.note));
  if (report.result && report.result.message) head.append(make("p", {class: "note"}, report.result.message));
  head.append(
    make(
      "dl",
      {class: "facts"},
      ...factsOf(report).map(([title, value, more]) =>
        make("div", {}, make("dt", {}, title), make("dd", {}, value, more ? make("small", {}, more) : null)),
      ),
    ),
  );
  if (listOf(run.command).length) head.append(make("pre", {class: "command", "aria-label": "command"}, spellCommand(run.command)));
}

function makeCurves(report) {
  const runs = [{run: report, label: "this run", colour: "first"}];
  if (report.against) runs.push({run: report.against, label: report.against.folder || "the other run", colour: "second"});
  const names = [...new Set(runs.flatMap(({run}) => metricNames(run)))];
  const isShown = (name) =>
    runs.some(({run}) => {
      const curve = curveOf(run, name);
      return curve.steps.length || curve.evaluated.length;
    });
  const isConstant = (name) => /rate/.test(name) && new Set(runs.flatMap(({run}) => curveOf(run, name).means)).size === 1;
  const shown = names
    .filter((name) => isShown(name) && !isConstant(name))
    .sort((a, b) => (b === "loss") - (a === "loss") || (a === "samples_per_second") - (b === "samples_per_second"));
  return shown.length ? make("div", {class: "charts"}, ...shown.slice(0, 24).map((name) => makeChart(name, runs))) : null;
}

const NO_TRACE = "There is no trace of this run. Train with dist-run --report FILE.html, which traces 40 steps, or with --trace FILE.json.";

/** [id, title, what it is, content or null, what to say without content] */
function sectionsOf(report) {
  const curve = report.curve || {};
  const pace =
    curve.steps_a_point > 1
      ? `Each point is ${curve.steps_a_point} steps.`
      : curve.is_sparse
        ? "Of the steps that a summary was written for."
        : "Each point is one step.";
  const summary = report.result && report.result.text;
  return [
    [
      "curves",
      "Curves",
      `Metrics over steps. ${pace} Drag over a chart to look closer; click twice to see all of it.`,
      makeCurves(report),
      "No step has been told of yet.",
    ],
    [
      "start",
      "Before the first step",
      "From the begin of the launch, all processes on one axis of time.",
      makeStart(report),
      report.trace ? "The trace has nothing of the start." : NO_TRACE,
    ],
    ["time", "Time of a step", describeSplit(report), makeSplit(report), "Known when the run is over."],
    [
      "timeline",
      "A median step",
      report.trace
        ? `Step ${spellCount(report.trace.timeline.step)}, ${spellTime(report.trace.timeline.length)}, all ranks on one axis of time. Hatched: ` +
          "communication, exposed in the rows of computation, and waiting. The thin line marks the program; where nothing is above it, fused loops run."
        : "",
      makeTimeline(report),
      NO_TRACE,
    ],
    [
      "path",
      "What the step waited for",
      "The critical path of the median step: from its end back, computation of the rank that came last to a collective, and that collective.",
      makePath(report),
      NO_TRACE,
    ],
    [
      "late",
      "Who was late",
      "Which rank came last to how many collectives, on one axis of time, and what the others waited for it.",
      makeLateness(report),
      report.trace ? "The ranks meet in no collective." : NO_TRACE,
    ],
    [
      "prediction",
      "Predicted and measured",
      "What each collective takes, beside what the cost model says.",
      makePrediction(report),
      report.trace ? "The ranks exchange nothing in a step." : NO_TRACE,
    ],
    [
      "memory",
      "Memory",
      "What is known before the run begins. In the arena a buffer is a rectangle: as wide as it lives, as high as it is large.",
      makeMemory(report),
      "This run left no record of its program.",
    ],
    [
      "kernels",
      "Kernels",
      "Where computation takes longest.",
      makeKernels(report),
      report.trace ? "The step calls no kernels: all of it is fused loops." : NO_TRACE,
    ],
    [
      "plan",
      "Plan",
      "All communication of the program, fixed before step 1: what is exchanged, from top to bottom in the order in which ranks meet.",
      [makePlanGraph(report), makePlan(report) && makeDetails("As a table", makePlan(report))].filter(Boolean),
      "The program exchanges nothing, or this run left no record of it.",
    ],
    [
      "lints",
      "Lints and remarks",
      "What passes found, did and left alone.",
      [makeLints(report), makeRemarks(report)].filter(Boolean),
      "This run left no remarks.",
    ],
    [
      "summary",
      "Summary",
      "As dist-run printed it.",
      summary ? make("div", {class: "panel"}, make("pre", {class: "text", tabindex: "0"}, summary)) : null,
      "Printed when the run is over.",
    ],
  ];
}

function showReport(report) {
  fillHead(report);
  const list = make("ul", {}),
    content = document.getElementById("content");
  for (const [id, title, lead, given, otherwise] of sectionsOf(report)) {
    const parts = Array.isArray(given) ? given : given ? [given] : [];
    list.append(make("li", {}, make("a", {href: "#" + id}, title)));
    content.append(
      make(
        "section",
        {id, "aria-labelledby": id + "-title"},
        make("h2", {id: id + "-title"}, title),
        parts.length && lead ? make("p", {class: "lead"}, lead) : null,
        ...(parts.length ? parts : [make("p", {class: "absent"}, otherwise)]),
      ),
    );
  }
  document.getElementById("sections").append(list);
}

showReport(JSON.parse(document.getElementById("document").textContent));
