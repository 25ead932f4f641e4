// Words, numbers and elements: what all other scripts of the report use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"use strict";

/** An element; `children` are nodes or texts. Texts stay texts, whatever stands in them. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (value !== undefined && value !== null) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

function makeSvg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const listOf = (value) => (Array.isArray(value) ? value : []);
const sumOf = (values) => values.reduce((sum, value) => sum + (isNumber(value) ? value : 0), 0);

/** "1,437"; "-" for what is not known. */
function spellCount(value) {
  return isNumber(value) ? Math.round(value).toLocaleString("en-US") : "-";
}

/** Four digits that count: 0.1049, 2.312, 1.2e-7. */
function spellNumber(value) {
  if (!isNumber(value)) return "-";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2);
  if (size >= 1000) return spellCount(value);
  return String(Number(value.toPrecision(4)));
}

function spellBytes(bytes) {
  if (!isNumber(bytes)) return "-";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (bytes >= 1024 && unit + 1 < units.length) [bytes, unit] = [bytes / 1024, unit + 1];
  return (unit === 0 ? bytes : bytes.toFixed(1)) + " " + units[unit];
}

/** Of microseconds. */
function spellTime(us) {
  if (!isNumber(us)) return "-";
  const size = Math.abs(us);
  if (size === 0) return "0";
  if (size < 1000) return Number(us.toPrecision(3)) + " µs";
  if (size < 1e6) return Number((us / 1e3).toPrecision(3)) + " ms";
  if (size < 120e6) return Number((us / 1e6).toPrecision(3)) + " s";
  const seconds = Math.round(us / 1e6);
  const hours = Math.floor(seconds / 3600),
    minutes = Math.floor((seconds % 3600) / 60);
  return hours ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`;
}

const spellPart = (part, whole) => (whole > 0 ? ((100 * part) / whole).toFixed(1) + " %" : "-");

/** "loss of the evaluation" from "learning_rate": underscores are spaces. */
const spellName = (name) => name.replace(/_/g, " ");

const colourOf = (name) =>
  getComputedStyle(document.documentElement)
    .getPropertyValue("--" + name)
    .trim();

/** A table. `columns`: [{title, of: row => text or node, number, name}]. */
function makeTable(title, columns, rows) {
  const cellClass = (column) => (column.number ? "number" : column.bar ? "bar" : column.name ? "name" : "whole");
  const titleOf = (column) => column.title || make("span", {class: "unseen"}, column.bar ? "as a bar" : "number");
  const head = make("tr", {}, ...columns.map((column) => make("th", {scope: "col", class: cellClass(column)}, titleOf(column))));
  const body = rows.map((row) => make("tr", {}, ...columns.map((column) => make("td", {class: cellClass(column)}, column.of(row)))));
  const table = make("table", {}, make("caption", {}, title), make("thead", {}, head), make("tbody", {}, ...body));
  return make("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": title}, table);
}

function makeDetails(title, ...children) {
  return make("details", {}, make("summary", {}, title), ...children);
}

function makeLegend(entries) {
  return make("ul", {class: "legend"}, ...entries.map(([sample, text]) => make("li", {}, sample, text)));
}

/** The kinds of time, in the order in which they are shown. `pattern` tells them apart without colour. */
const KINDS = [
  ["kernels", "kernels"],
  ["loops", "fused loops"],
  ["communication", "communication"],
  ["waiting", "waiting for other ranks"],
  ["data", "data"],
  ["other", "other"],
];
const isHatched = (kind) => kind === "communication" || kind === "waiting";
const hatch = (kind) =>
  kind === "waiting"
    ? "repeating-linear-gradient(-45deg, transparent 0 4px, var(--hatch) 4px 6px)"
    : kind === "communication"
      ? "repeating-linear-gradient(45deg, transparent 0 5px, var(--hatch) 5px 6px)"
      : "none";
const paint = (kind) => `background-color: var(--${kind}); background-image: ${hatch(kind)}; color: var(--on-${kind});`;

function makeSample(kind) {
  return make("span", {"aria-hidden": "true", style: `display:inline-block;width:0.85rem;height:0.85rem;border-radius:2px;${paint(kind)}`});
}
const makeKindLegend = (kinds) => makeLegend(KINDS.filter(([kind]) => kinds.has(kind)).map(([kind, text]) => [makeSample(kind), text]));
