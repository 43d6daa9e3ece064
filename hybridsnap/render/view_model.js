"use strict";
// The snapshot's data, and which rows the search and the filters leave. No DOM here.

const data = JSON.parse(document.getElementById("data").textContent);
const rows = data.rows;
const total = rows.id.length;
const byId = new Map();
// For each row: the row above it (-1: none), where its subtree ends, its place among its siblings, their number.
const parents = new Int32Array(total).fill(-1);
const ends = new Int32Array(total);
const places = new Int32Array(total);
const siblings = new Int32Array(total);
// What the search and the filters leave, what of it only stands above something that fits, and what is folded.
const fits = new Uint8Array(total).fill(1);
const kept = new Uint8Array(total).fill(1);
const wanted = { words: [], roles: new Set(), frames: new Set(), interactive: false, inView: false };
let folded = new Set();
let foldedUnfiltered = folded;
let shown = [];
const shownAt = new Int32Array(total).fill(-1);
let haystacks = null;

(function readTree() {
  const open = [];
  const children = new Int32Array(total + 1);
  for (let i = 0; i <= total; i++) {
    const depth = i < total ? rows.depth[i] : -1;
    while (open.length && rows.depth[open[open.length - 1]] >= depth) ends[open.pop()] = i;
    if (i === total) break;
    if (open.length) parents[i] = open[open.length - 1];
    places[i] = ++children[parents[i] + 1];
    open.push(i);
    if (rows.id[i]) byId.set(rows.id[i], i);
  }
  for (let i = 0; i < total; i++) siblings[i] = children[parents[i] + 1];
})();

const isInteractive = (i) => rows.interactive[i] === 1;
const missing = new Set(rows.missing);
const isMissing = (i) => missing.has(i);
const boxOf = (i) => data.boxes[i] || null;
const isInView = (i) => boxOf(i) !== null && boxOf(i).share > 0;
const roleOf = (i) => data.roles[rows.role[i]];
const labelOf = (i) => data.labels[rows.label[i]];
const isFiltered = () =>
  wanted.words.length > 0 || wanted.roles.size > 0 || wanted.frames.size > 0 || wanted.interactive || wanted.inView;

// The XPath of a row is written as what it adds to that of the row above, after a "+".
function xpathOf(i) {
  const parts = [];
  let at = i;
  while (at >= 0 && rows.xpath[at].startsWith("+")) {
    parts.push(rows.xpath[at].slice(1));
    at = parents[at];
  }
  if (at >= 0) parts.push(rows.xpath[at]);
  return parts.reverse().join("");
}

function haystackOf(i) {
  if (haystacks === null) {
    haystacks = rows.id.map((id, at) =>
      [labelOf(at), roleOf(at), `[${id}]`, rows.name[at], rows.value[at], rows.description[at], rows.states[at], data.urls[at] || ""]
        .join("\n").toLowerCase());
  }
  return haystacks[i];
}

function doesFit(i) {
  if (wanted.interactive && !isInteractive(i)) return false;
  if (wanted.inView && !isInView(i)) return false;
  if (wanted.roles.size && !wanted.roles.has(rows.role[i])) return false;
  if (wanted.frames.size && !wanted.frames.has(rows.frame[i])) return false;
  return wanted.words.every((word) => haystackOf(i).includes(word));
}

// Returns how many rows fit.
function filterRows() {
  let count = 0;
  const filtered = isFiltered();
  folded = filtered ? new Set() : foldedUnfiltered;
  kept.fill(0);
  for (let i = total - 1; i >= 0; i--) {
    fits[i] = !filtered || doesFit(i) ? 1 : 0;
    count += fits[i];
    if (fits[i]) kept[i] = 1;
    if (kept[i] && parents[i] >= 0) kept[parents[i]] = 1;
  }
  listRows();
  return count;
}

function listRows() {
  shown = [];
  shownAt.fill(-1);
  for (let i = 0; i < total; i++) {
    if (!kept[i]) continue;
    shownAt[i] = shown.length;
    shown.push(i);
    if (folded.has(i)) i = ends[i] - 1;
  }
}

function hasBranches(i) {
  for (let at = i + 1; at < ends[i]; at++) if (kept[at]) return true;
  return false;
}

// Opens what stands above a row; false when the filters leave the row out.
function unfoldTo(i) {
  if (!kept[i]) return false;
  if (shownAt[i] >= 0) return true;
  for (let at = parents[i]; at >= 0; at = parents[at]) folded.delete(at);
  listRows();
  return true;
}
