// The plan: as a graph of what is exchanged, function by function, and as a table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"use strict";

/** "3 gradients or metrics", by what the entry carries. */
function describeSources(entry) {
  const names = listOf(entry.source);
  return names.length === 1 ? names[0] : names.length ? `${spellCount(names.length)} values` : "nothing";
}

/** What a call does, in a sentence. */
function describeCall(entry) {
  const what = describeSources(entry),
    all = entry.group === "world" ? "all ranks" : `the ranks of ${entry.group}`,
    each = entry.group === "world" ? "Every rank" : `Every rank of ${entry.group}`;
  const sum = {mean: "the mean", sum: "the sum", max: "the largest", min: "the smallest"}[entry.reduction] || entry.reduction;
  const said = {
    broadcast: `Rank ${entry.root} sends ${what} to ${all}.`,
    all_reduce: `${each} gets ${sum} of what all of them have of ${what}.`,
    reduce: `Rank ${entry.root} gets ${sum} of what ${all} have of ${what}.`,
    reduce_scatter: `${each} gets a part of ${sum} of what all of them have of ${what}.`,
    all_gather: `${each} gets the parts of ${what} that the others have.`,
    all_to_all: `${each} sends each other one its part of ${what}.`,
    gather: `Rank ${entry.root} gets the parts of ${what} that ${all} have.`,
    scatter: `Rank ${entry.root} sends each of ${all} a part of ${what}.`,
    barrier: `${each} waits for the others.`,
    send: `Sends ${what} to rank ${entry.peer}.`,
    recv: `Gets ${what} from rank ${entry.peer}.`,
    pull_rows: `Asks the servers for the rows of ${entry.table} that ${what} needs.`,
    push_rows: `Sends the servers the gradients of rows of ${entry.table}.`,
    pull: `Asks the servers for ${entry.table}.`,
    push: `Sends the servers the gradient of ${entry.table}.`,
  };
  return said[entry.op] || `${entry.op} of ${what} among ${all}.`;
}

const WAYS = {
  slices: "in slices: each rank adds one and sends it to all",
  tree: "up a tree to rank 0, and the result down again",
  chain: "along a chain of ranks, piece after piece",
};

/** [what, value] of an entry, as far as they are known. */
function factsOfCall(entry) {
  const facts = [
    ["bytes of a rank", isNumber(entry.bytes) ? spellBytes(entry.bytes) : null],
    ["type", entry.wire === entry.type ? entry.type : `${entry.type}, sent as ${entry.wire}`],
    ["calls", isNumber(entry.times) && entry.times > 1 ? `${spellCount(entry.times)} each time` : null],
    ["order", entry.async ? "beside computation" : "computation waits for it"],
    ["algorithm", WAYS[entry.way] ? `${WAYS[entry.way]}; in shared memory each rank adds a part in place` : null],
    ["predicted", isNumber(entry.predicted_seconds) ? spellTime(entry.predicted_seconds * 1e6) : null],
  ];
  return facts.filter(([, value]) => value);
}

function makeRemarksOfCall(report, entry) {
  const lines = remarksOf(report, entry)
    .slice(0, 20)
    .map((remark) => make("li", {}, make("span", {class: "tag"}, remark.kind), " ", remark.message));
  if (!lines.length) return null;
  return makeDetails(lines.length === 1 ? "1 remark of the compiler" : `${lines.length} remarks of the compiler`, make("ul", {class: "plain"}, ...lines));
}

function makeCall(report, entry, most) {
  const names = [...new Set(listOf(entry.source))],
    few = names.slice(0, 6);
  const chips = make("ul", {class: "chips", "aria-label": "of"}, ...few.map((name) => make("li", {}, name)));
  const more = names.length > few.length ? makeDetails(`and ${spellCount(names.length - few.length)} more`, names.slice(few.length).join(", ")) : null;
  return make(
    "li",
    {class: entry.async ? "call beside" : "call"},
    make(
      "div",
      {class: "line"},
      make("strong", {}, `${entry.id}: ${[entry.op.replace(/_/g, "-"), entry.reduction].filter(Boolean).join(", ")}`),
      make("span", {class: "tag"}, entry.group === "world" ? "all ranks" : String(entry.group)),
    ),
    isNumber(entry.bytes) ? makeMeter(entry.bytes / most, "communication") : null,
    make("p", {}, describeCall(entry)),
    names.length ? chips : null,
    more,
    make("dl", {class: "of-call"}, ...factsOfCall(entry).map(([title, value]) => make("div", {}, make("dt", {}, title), make("dd", {}, value)))),
    makeRemarksOfCall(report, entry),
  );
}

/** One flow a function, from its begin to its end; calls in the order in which ranks meet. */
function makePlanGraph(report) {
  const plan = listOf(report.program && report.program.plan).slice(0, 120);
  if (!plan.length) return null;
  const most = Math.max(1, ...plan.map((entry) => entry.bytes || 0));
  const functions = [...new Set(plan.map((entry) => entry.function))];
  const when = {initialize: "once, before step 1", step: "in each step", evaluate: "in each evaluation"};
  return make(
    "div",
    {class: "flows"},
    ...functions.map((name) => {
      const calls = plan.filter((entry) => entry.function === name);
      const bytes = sumOf(calls.map((entry) => (entry.bytes || 0) * (entry.times || 1)));
      return make(
        "div",
        {class: "panel"},
        make("div", {class: "caption"}, make("h3", {}, `@${name}, ${when[name] || ""}`), make("span", {class: "absent"}, `${spellBytes(bytes)} of a rank`)),
        make("ol", {class: "flow", "aria-label": `What @${name} exchanges, in order`}, ...calls.map((entry) => makeCall(report, entry, most))),
      );
    }),
  );
}

/** Those about the node that an entry is of, or else about the nodes of its variables: "fc" of "fc.weight". */
function remarksOf(report, entry) {
  const sources = listOf(entry.source),
    own = listOf(report.remarks).filter((remark) => /^collective-/.test(remark.pass) && remark.function === entry.function && remark.node);
  const exact = own.filter((remark) => sources.includes(remark.node));
  return exact.length ? exact : own.filter((remark) => sources.some((source) => source.startsWith(remark.node + ".")));
}

function makePlan(report) {
  const program = report.program,
    plan = listOf(program && program.plan);
  if (!plan.length) return null;
  const most = Math.max(1, ...plan.map((entry) => entry.bytes || 0));
  const sources = (entry) => {
    const names = listOf(entry.source);
    return names.length <= 3
      ? names.join(", ")
      : make("details", {}, make("summary", {}, `${names[0]} and ${names.length - 1} more`), names.join(", "));
  };
  const remarks = (entry) => {
    const found = remarksOf(report, entry).slice(0, 20);
    const lines = found.map((remark) => make("div", {}, make("span", {class: "tag"}, remark.kind), " ", remark.message));
    return lines.length ? makeDetails(lines.length === 1 ? "1 remark" : `${lines.length} remarks`, ...lines) : "";
  };
  const more = program.plan_in_all - plan.length;
  return make(
    "div",
    {class: "panel tall"},
    makeTable(
      "In the order in which ranks meet" + (more > 0 ? `; ${more} more are not shown` : ""),
      [
        {title: "", of: (entry) => String(entry.id), number: true},
        {title: "function", of: (entry) => "@" + entry.function},
        {title: "call", of: (entry) => [entry.op, entry.reduction].filter(Boolean).join(" ") + (entry.async ? ", beside computation" : "")},
        {title: "of", of: sources, name: true},
        {title: "group", of: (entry) => String(entry.group)},
        {title: "type", of: (entry) => (entry.wire === entry.type ? entry.type : `${entry.type} as ${entry.wire}`)},
        {title: "", bar: true, of: (entry) => makeMeter((entry.bytes || 0) / most, "communication")},
        {title: "bytes", of: (entry) => spellBytes(entry.bytes), number: true},
        {
          title: "predicted",
          of: (entry) => (isNumber(entry.predicted_seconds) ? spellTime(entry.predicted_seconds * 1e6) : ""),
          number: true,
        },
        {title: "remarks", of: remarks, name: true},
      ],
      plan,
    ),
  );
}
