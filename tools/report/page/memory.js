// What a rank's memory holds: variables, and the arena with its buffers, life by place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"use strict";

function makeMemoryBar(program) {
  const kinds = [
    ["trainable", "kernels", "trainable variables"],
    ["state", "loops", "states of the optimizer"],
    ["other", "other", "other variables"],
  ];
  const bytes = program.variable_bytes || {};
  const parts = kinds.map(([kind, colour, text]) => [colour, text, bytes[kind] || 0]);
  parts.push(["data", "arena: temporary values", Math.max(0, ...Object.values(program.arena || {}).filter(isNumber))]);
  const shown = parts.filter(([, , size]) => size > 0),
    all = sumOf(shown.map(([, , size]) => size));
  if (!all) return null;
  const bar = make(
    "div",
    {class: "stack", role: "img", "aria-label": shown.map(([, text, size]) => `${text} ${spellBytes(size)}`).join(", ")},
    ...shown.map(([colour, text, size]) =>
      make(
        "span",
        {
          style: `width:${(100 * size) / all}%;${paint(colour)}`,
          class: size / all > 0.12 ? "wide" : "",
          title: `${text}: ${spellBytes(size)}`,
        },
        size / all > 0.12 ? spellBytes(size) : "",
      ),
    ),
  );
  return make(
    "div",
    {class: "panel"},
    make(
      "div",
      {class: "caption"},
      make("h3", {}, `Planned memory of a rank, ${spellBytes(all)}`),
      makeLegend(shown.map(([colour, text, size]) => [makeSample(colour), `${text} ${spellBytes(size)}`])),
    ),
    bar,
  );
}

function makeBuffer([name, bytes, first, last, offset], moments, arena) {
  const percent = (value, whole) => (100 * value) / whole + "%";
  const box = makeSvg(
    "svg",
    {x: percent(first, moments), width: percent(last - first + 1, moments), y: percent(offset, arena), height: percent(bytes, arena)},
    makeSvg("rect", {width: "100%", height: "100%"}),
  );
  if ((last - first + 1) / moments > 0.1 && bytes / arena > 0.06) box.append(makeSvg("text", {x: 4, y: 14}, name || "(no name)"));
  const words = `${name || "no name"}: ${spellBytes(bytes)} at ${spellBytes(offset)}, from operation ${first} to ${last}`;
  const group = makeSvg("g", {class: "buffer"}, makeSvg("title", {}, words), box);
  group.dataset.words = words;
  return group;
}

function makeArena(program, name) {
  const buffers = listOf((program.layout || {})[name]),
    arena = (program.arena || {})[name];
  if (!buffers.length || !arena) return null;
  const moments = Math.max(...buffers.map((buffer) => buffer[3])) + 1;
  const svg = makeSvg(
    "svg",
    {width: "100%", height: 280, "aria-hidden": "true"},
    ...buffers.map((buffer) => makeBuffer(buffer, moments, arena)),
  );
  const readout = make("p", {class: "readout"}, "Point at a buffer to read it.");
  svg.addEventListener("mouseover", (event) => {
    const buffer = event.target.closest(".buffer");
    if (buffer) readout.textContent = buffer.dataset.words;
  });
  const requested = sumOf(buffers.map((buffer) => buffer[1]));
  const steps = [0, 1, 2, 3, 4];
  const columns = [
    {title: "buffer", of: (buffer) => buffer[0] || "(no name)", name: true},
    {title: "size", of: (buffer) => spellBytes(buffer[1]), number: true},
    {title: "offset", of: (buffer) => spellBytes(buffer[4]), number: true},
    {title: "from operation", of: (buffer) => String(buffer[2]), number: true},
    {title: "to", of: (buffer) => String(buffer[3]), number: true},
  ];
  return make(
    "div",
    {class: "panel"},
    make(
      "div",
      {class: "caption"},
      make(
        "h3",
        {},
        `Arena of @${name}: ${spellBytes(arena)} for ${spellCount(buffers.length)} buffers of ${spellBytes(requested)} in all`,
      ),
    ),
    make(
      "div",
      {class: "memory", role: "img", "aria-label": `Buffers of @${name} by life and place; the table below has them`},
      make("div", {class: "offsets"}, ...steps.map((quarter) => make("span", {}, spellBytes((arena * quarter) / 4)))),
      make("div", {class: "drawing"}, svg),
      make("span", {}),
      make(
        "div",
        {class: "ticks"},
        ...steps.map((quarter) => make("span", {}, (quarter === 0 ? "operation " : "") + spellCount((moments * quarter) / 4))),
      ),
    ),
    readout,
    makeDetails("As a table", make("div", {class: "tall"}, makeTable("The largest buffers", columns, buffers))),
  );
}

function makeVariables(program) {
  const variables = listOf(program.variables);
  if (!variables.length) return null;
  const more = program.variables_in_all - variables.length;
  return makeDetails(
    `Variables: ${spellCount(program.variables_in_all)}`,
    make(
      "div",
      {class: "tall"},
      makeTable(
        "Of a rank" + (more > 0 ? `; ${more} smaller ones are not shown` : ""),
        [
          {title: "variable", of: (variable) => String(variable.name), name: true},
          {title: "kind", of: (variable) => String(variable.class)},
          {title: "type", of: (variable) => `${variable.type} [${listOf(variable.shape).join(", ")}]`},
          {title: "size", of: (variable) => spellBytes(variable.bytes), number: true},
        ],
        variables,
      ),
    ),
  );
}

function makeMemory(report) {
  const program = report.program;
  if (!program) return null;
  const parts = [makeMemoryBar(program), makeArena(program, "step"), makeVariables(program)].filter(Boolean);
  return parts.length ? make("div", {}, ...parts) : null;
}
