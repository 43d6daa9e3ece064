"""Values between Python and a page's script, in both directions.

Neither JSON nor the protocol's own by-value form carries them all: both lose ``undefined``, ``NaN``, ``-0``,
``BigInt`` and dates, trip over cycles, and end at a few hundred levels. So a value travels as a table: one
entry for each object, in which other objects stand by their number. A table is flat however deep the value
is, and nothing recurses over it, here or there.

======================================  =====================================================================
in the page                             in Python
======================================  =====================================================================
undefined, null                         None
boolean, string                         bool, str (lone surrogates become U+FFFD)
number                                  int where it is whole and below 2**53; float, with NaN, ±Infinity, -0
bigint                                  int (and an int beyond ±(2**53 - 1) becomes a bigint)
Date                                    datetime in UTC; None when invalid; text where Python has no such year
Array, Set, NodeList, typed arrays, …   list
object                                  dict of its own enumerable properties, but those whose getter throws
one without such, but with a toJSON     what its toJSON returns (so a DOMRect is a dict)
Map                                     dict; a list of pairs where its keys cannot be keys of a dict
ArrayBuffer, DataView, Uint8Array       bytes (and bytes become a Uint8Array)
RegExp, URL                             str
Error, DOMException                     dict of name and message
function, symbol, DOM node, window, …   words in angle brackets: ``<function go>``, ``<button#buy.big>``
======================================  =====================================================================

An object that occurs twice is one object in Python too; so cycles stay cycles. From Python go None, bool,
int, float, str, bytes, datetime (with a time zone), and lists, tuples and dicts (with str keys) of these.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime as dt
import json
import math
from collections.abc import Mapping
from typing import Any

import msgspec

from hybridsnap.errors import ReplyUnreadable
from hybridsnap.protocol.codec import mend_surrogates

#: Levels of a value that are taken. Python's own repr, json and pickle go about 1,000 deep, in all.
MAX_DEPTH = 400
#: Items, of all objects together.
MAX_ITEMS = 1_000_000
#: Characters of a table. Chromium takes up to six bytes for each, and drops messages above 256 MiB without a
#: word. What exceeds the limit is refused before it is written, as a page can do nothing else meanwhile.
MAX_CHARACTERS = 32_000_000
#: Characters of what a script throws: of its message, and of its stack.
MAX_THROWN = 100_000
#: What a script is told whose value exceeds `MAX_CHARACTERS`.
TOO_LARGE = f"the value takes more than {MAX_CHARACTERS} characters; return less of it"
#: Whole numbers up to here are exact in a page.
_SAFE = 2**53 - 1
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)

#: JavaScript: a table that Python wrote → the values of its last entry.
READ = """(table) => {
  const made = [];
  for (const [kind, first] of table) {
    made.push(kind === "a" ? [] : kind === "o" ? {} : kind === "d" ? new Date(first)
      : Uint8Array.from(atob(first), (one) => one.charCodeAt(0)));
  }
  const value = (one) => {
    if (one === null || typeof one !== "object") return one;
    if (typeof one[0] === "number") return made[one[0]];
    if (one[0] === "n") return Number(one[1]);
    return one[1] < 0 ? -BigInt(one[2]) : BigInt(one[2]);
  };
  for (let at = 0; at < table.length; at++) {
    const entry = table[at];
    if (entry[0] === "a") for (let i = 1; i < entry.length; i++) made[at][i - 1] = value(entry[i]);
    if (entry[0] === "o") {
      for (let i = 1; i < entry.length; i += 2) {
        Object.defineProperty(made[at], entry[i],
          {value: value(entry[i + 1]), configurable: true, enumerable: true, writable: true});
      }
    }
  }
  return made[made.length - 1];
}"""

#: JavaScript: a value, or what was thrown → the text that `read_outcome` reads.
WRITE = (
    """(thrown, outcome) => {
  let refusal, items = 0, characters = 0;
  const refuse = (why) => {
    refusal = new RangeError("the value " + why + "; return less of it");
    throw refusal;
  };
  const count = (more = 1) => {
    if ((items += more) > MAX_ITEMS) refuse("holds more than MAX_ITEMS items");
  };
  /* Counted before they are written: writing 300 MB takes seconds, and cannot be interrupted. */
  const take = (more) => {
    if ((characters += more) > MAX_CHARACTERS) refuse("takes more than MAX_CHARACTERS characters");
  };
  const quote = (given) => {
    const text = String(given);
    take(text.length);
    const quoted = JSON.stringify(text);
    take(quoted.length - text.length);
    return quoted;
  };
  const tagged = Object.prototype.toString;
  const attempt = (read) => { try { return read(); } catch { return undefined; } };
  const tag = (one) => attempt(() => tagged.call(one).slice(8, -1)) || "Object";
  const cut = (text) => text.length > MAX_THROWN
    ? text.slice(0, MAX_THROWN) + "… (" + (text.length - MAX_THROWN) + " more characters)" : text;
  if (thrown) {
    const isObject = typeof outcome === "object" && outcome !== null;
    const isError = isObject && typeof attempt(() => outcome.stack) === "string";
    const words = isError || (isObject && typeof attempt(() => outcome.message) === "string")
      ? attempt(() => String(outcome.message))
      : isObject && outcome.length > MAX_ITEMS ? "<" + tag(outcome) + " of " + outcome.length + " items>"
      : attempt(() => isObject && tag(outcome) === "Object" ? JSON.stringify(outcome) : String(outcome));
    const name = isObject ? attempt(() => String(outcome.name || outcome.constructor.name))
      : outcome === null ? "null" : typeof outcome;
    return "[1," + [name ?? "Object", outcome === null ? "" : words ?? "", isError ? outcome.stack : ""]
      .map((text) => quote(cut(String(text)))).join() + "]";
  }
  const known = new Map();
  const objects = [];
  const depths = [];
  let depth = 0;
  const bytes = (one) => {
    const view = ArrayBuffer.isView(one) ? new Uint8Array(one.buffer, one.byteOffset, one.byteLength)
      : new Uint8Array(one);
    take(view.length * 4 / 3);
    let text = "";
    for (let at = 0; at < view.length; at += 32768) {
      text += String.fromCharCode.apply(null, view.subarray(at, at + 32768));
    }
    return '["b","' + btoa(text) + '"]';
  };
  /* Off its prototypes: the named parts of a form or a document hide its own properties. They are found from
     the object itself, as a page may give the names of their types to others (class Node). */
  const inherited = (one, name) => {
    let at = one;
    do at = Object.getPrototypeOf(at); while (at && !Object.hasOwn(at, name));
    return at ? Reflect.get(at, name, one) : undefined;
  };
  const isNode = (one) => attempt(() => inherited(one, "nodeType")) > 0
    && typeof attempt(() => inherited(one, "nodeName")) === "string";
  const element = (one) => {
    let words = inherited(one, "nodeName").toLowerCase();
    const type = inherited(one, "nodeType");
    if (type === 9) return "<document " + inherited(one, "URL") + ">";
    if (type !== 1) return "<" + words + ">";
    const id = inherited(one, "id");
    if (id) words += "#" + id;
    for (const name of inherited(one, "classList")) words += "." + name;
    return "<" + words + ">";
  };
  const date = (one) => {
    const time = +one;
    if (time !== time) return "null";
    return time < -62135596800000 || time > 253402300799999 ? quote(one.toISOString()) : '["d",' + time + "]";
  };
  /* What stands in the place of an object; undefined when it gets an entry of its own. */
  const plain = (one, kind, fresh) => {
    switch (kind) {
      case "Date": return date(one);
      case "RegExp": case "URL": return quote(one);
      case "Number": case "String": case "Boolean": case "BigInt": return value(one.valueOf(), true);
      case "ArrayBuffer": case "SharedArrayBuffer": case "DataView":
      case "Uint8Array": case "Uint8ClampedArray": return bytes(one);
    }
    if (one === attempt(() => one.window)) return '"<window>"';
    if (kind !== "Object" && isNode(one)) return quote(element(one));
    if (Array.isArray(one) || listed(one, kind) || kind === "Map" || kind === "Set"
        || isError(kind)) return undefined;
    if ((attempt(() => Object.keys(one)) ?? []).length) return undefined;
    if (fresh && typeof attempt(() => one.toJSON) === "function") return value(one.toJSON(), false);
    return kind === "Object" ? undefined : quote("<" + kind + ">");
  };
  const isError = (kind) => kind === "Error" || kind === "DOMException";
  const lists = ["Arguments", "NodeList", "RadioNodeList", "HTMLCollection", "HTMLOptionsCollection",
    "FileList", "DOMTokenList"];
  const listed = (one, kind) => lists.includes(kind) || (ArrayBuffer.isView(one) && kind !== "DataView");
  const bits = MAX_CHARACTERS * 4;
  const value = (one, fresh = true) => {
    count();
    switch (typeof one) {
      case "string": return quote(one);
      case "boolean": return one ? "true" : "false";
      case "undefined": return "null";
      case "number":
        return Number.isFinite(one) ? (Object.is(one, -0) ? '["n","-0"]' : "" + one) : '["n","' + one + '"]';
      case "bigint": {
        const negative = one < 0n;
        if (BigInt.asIntN(bits, one) !== one) take(bits);
        const digits = (negative ? -one : one).toString(16);
        take(digits.length);
        return '["i",' + (negative ? -1 : 1) + ',"' + digits + '"]';
      }
      case "symbol": return quote("<" + String(one) + ">");
      case "function": return quote("<" + ("function " + (attempt(() => one.name) || "")).trim() + ">");
    }
    if (one === null) return "null";
    let at = known.get(one);
    if (at === undefined) {
      const text = attempt(() => plain(one, tag(one), fresh));
      if (refusal) throw refusal;
      if (text !== undefined) return text;
      if (depth >= MAX_DEPTH) refuse("is more than MAX_DEPTH levels deep");
      at = objects.length;
      known.set(one, at);
      objects.push(one);
      depths.push(depth + 1);
    }
    return "[" + at + "]";
  };
  const entry = (one) => {
    const kind = tag(one);
    let text = "";
    if (Array.isArray(one) || listed(one, kind)) {
      if (items + one.length > MAX_ITEMS) count(one.length);
      for (let i = 0; i < one.length; i++) text += "," + value(one[i]);
      return '["a"' + text + "]";
    }
    if (kind === "Map" || kind === "Set") {
      const size = attempt(() => Reflect.get((kind === "Map" ? Map : Set).prototype, "size", one));
      if (items + size > MAX_ITEMS) count(size);
      const pairs = attempt(() => [...(kind === "Map" ? Map : Set).prototype.entries.call(one)]);
      if (pairs !== undefined) {
        for (const [key, item] of pairs) text += "," + (kind === "Map" ? value(key) + "," : "") + value(item);
        return (kind === "Map" ? '["m"' : '["a"') + text + "]";
      }
    }
    const names = isError(kind) ? ["name", "message"] : attempt(() => Object.keys(one)) ?? [];
    for (const name of names) {
      let item;
      try { item = one[name]; } catch { continue; }
      text += "," + quote(name) + "," + value(item);
    }
    return '["o"' + text + "]";
  };
  const root = value(outcome);
  let table = "";
  for (let at = 0; at < objects.length; at++) {
    depth = depths[at];
    table += (at ? "," : "") + entry(objects[at]);
  }
  return "[0," + root + ",[" + table + "]]";
}""".replace("MAX_ITEMS", str(MAX_ITEMS))
    .replace("MAX_DEPTH", str(MAX_DEPTH))
    .replace("MAX_CHARACTERS", str(MAX_CHARACTERS))
    .replace("MAX_THROWN", str(MAX_THROWN))
)


class _Table:
    """The entries of a table that is being written."""

    def __init__(self) -> None:
        self.entries: list[list[Any]] = []
        self._known: dict[int, int] = {}
        #: Containers whose items are not written yet, with their entries.
        self.waiting: list[tuple[list[Any], Any]] = []
        # Alive, so that their ids stay theirs.
        self._kept: list[Any] = []

    def add(self, *entry: Any) -> list[int]:
        """Add an entry, and return what stands for it elsewhere."""
        self.entries.append(list(entry))
        return [len(self.entries) - 1]

    def container(self, kind: str, value: Any) -> list[int]:
        """What stands for a container; the same for the same one."""
        at = self._known.get(id(value))
        if at is None:
            (at,) = self.add(kind)
            self._known[id(value)] = at
            self._kept.append(value)
            self.waiting.append((self.entries[at], value))
        return [at]


def write_arguments(arguments: tuple[Any, ...]) -> str:
    """Python values as a table, in JSON, for `READ`.

    Raises:
        TypeError: of these, one has no form in a page.
        ValueError: a datetime without a time zone.
    """
    table = _Table()
    last = ["a", *(_written(table, argument) for argument in arguments)]
    while table.waiting:
        waiting, table.waiting = table.waiting, []
        for own, value in waiting:
            _fill(table, own, value)
    # The standard library's encoder: the text becomes part of a script, so it is ASCII.
    return json.dumps([*table.entries, last], allow_nan=False, separators=(",", ":"))


def _fill(table: _Table, own: list[Any], value: Any) -> None:
    if not isinstance(value, Mapping):
        own.extend(_written(table, item) for item in value)
        return
    for key, item in value.items():
        if not isinstance(key, str):
            raise TypeError(f"an argument's dict has str keys, not {type(key).__name__} ({key!r:.60})")
        own += (str(key), _written(table, item))


def _written(table: _Table, value: Any) -> Any:
    """What stands for a value in an entry."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return table.add("b", base64.b64encode(bytes(value)).decode())
    if isinstance(value, dt.datetime):
        return table.add("d", _milliseconds(value))
    if isinstance(value, (list, tuple, Mapping)):
        return table.container("o" if isinstance(value, Mapping) else "a", value)
    raise TypeError(
        "an argument is None, bool, int, float, str, bytes, datetime, list or dict, not"
        f" {type(value).__name__}; an element goes in element="
    )


def _number(value: float) -> Any:
    if isinstance(value, int):
        # int(): of an enum, its number. Hexadecimal has no limit of digits.
        number = int(value)
        return number if abs(number) <= _SAFE else ["i", -1 if number < 0 else 1, hex(abs(number))]
    if math.isfinite(value):
        return float(value) if value or math.copysign(1, value) > 0 else ["n", "-0"]
    return ["n", "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"]


def _milliseconds(value: dt.datetime) -> float:
    if value.tzinfo is None or value.utcoffset() is None:
        raise ValueError(f"an argument's datetime has a time zone, unlike {value!r}; give it tzinfo=UTC")
    return (value - _EPOCH) / dt.timedelta(milliseconds=1)


@dataclasses.dataclass(frozen=True, slots=True)
class Thrown:
    """What a script threw, instead of giving a value.

    Attributes:
        name: of an Error, or of the class or type of anything else.
        message: an Error's, or whatever else was thrown as text.
        stack: an Error's, as the browser has it; "" otherwise.
    """

    name: str
    message: str
    stack: str


def read_outcome(text: str) -> Any:
    """What `WRITE` wrote, as a Python value, or as `Thrown`.

    Raises:
        ReplyUnreadable: it is not what `WRITE` writes: the page has tampered with what it stands on.
    """
    try:
        outcome = msgspec.json.decode(mend_surrogates(text.encode("utf-8", "surrogatepass")))
        if outcome[0] == 0:
            return _read(outcome[1], outcome[2])
        name, message, stack = (str(one) for one in outcome[1:])
        return Thrown(name, message, stack)
    except (
        msgspec.MsgspecError,
        ValueError,
        TypeError,
        LookupError,
        OverflowError,
        RecursionError,
    ) as error:
        raise ReplyUnreadable(
            f"the script's result cannot be read ({type(error).__name__}: {error}); does the page change"
            " built-in objects? isolated_world=True is out of its reach",
            method="Runtime.evaluate",
        ) from error


def _read(root: Any, table: list[list[Any]]) -> Any:
    made: list[Any] = []
    for entry in table:
        if entry[0] == "a":
            made.append([])
        elif entry[0] == "o":
            made.append({})
        else:
            made.append(_empty_map(entry, table))

    def value(one: Any) -> Any:
        if isinstance(one, int) and abs(one) > _SAFE:
            return float(one)
        if not isinstance(one, list):
            return one
        return made[one[0]] if isinstance(one[0], int) else _leaf(one)

    for own, entry in zip(made, table, strict=True):
        if entry[0] == "a":
            own.extend(value(item) for item in entry[1:])
        elif isinstance(own, dict):
            keys = (value(key) if entry[0] == "m" else key for key in entry[1::2])
            own.update(zip(keys, (value(item) for item in entry[2::2]), strict=True))
        else:
            own.extend([value(key), value(item)] for key, item in zip(entry[1::2], entry[2::2], strict=True))
    return value(root)


def _empty_map(entry: list[Any], table: list[list[Any]]) -> dict[Any, Any] | list[Any]:
    """A dict where a Map's keys can be distinct keys of one (1 and true cannot), otherwise a list."""
    if entry[0] != "m":
        raise ValueError(f"an entry of kind {entry[0]!r}")
    keys = set()
    for key in entry[1::2]:
        if isinstance(key, list) and isinstance(key[0], int):
            if key[0] >= len(table):
                raise IndexError(key[0])
            return []
        keys.add(_leaf(key) if isinstance(key, list) else key)
    return {} if len(keys) == len(entry[1::2]) else []


def _leaf(one: list[Any]) -> Any:
    """A value that is not an object of its own: ``["d", 0]``."""
    match one:
        case ["n", str(text)]:
            return float(text)
        case ["i", int(sign), str(digits)]:
            return sign * int(digits, 16)
        case ["d", int(milliseconds) | float(milliseconds)]:
            return _EPOCH + dt.timedelta(milliseconds=milliseconds)
        case ["b", str(text)]:
            return base64.b64decode(text, validate=True)
    raise ValueError(f"a value of the form {one!r:.60}")
