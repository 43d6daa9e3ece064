"""The format ``records``: what `hybridsnap.render.records_finding` finds, as JSON lines or CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.json_data import encode_json
from hybridsnap.render.line_document import Line, LineDocument
from hybridsnap.render.records_finding import find_records
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hybridsnap.render.content import Content, RenderOptions
    from hybridsnap.render.records import Record, RecordSet


def build_records(content: Content, options: RenderOptions) -> LineDocument:
    """The format ``records``: JSON lines, or CSV.

    A line for each set (``set``, ``kind``, ``name``, ``columns``, …), then one for each of its records. CSV
    has a comment line ``# kind: name`` and a head line before each set, and an empty line between sets.
    """
    only = None if options.frame is None else f"{options.frame}-"
    sets = [
        one
        for one in find_records(content)
        if only is None or (one.id is not None and one.id.startswith(only))
    ]
    as_csv, urls = bool(options.special.get("csv")), options.urls
    lines: list[Line] = []
    for number, one in enumerate(sets):
        if as_csv:
            lines += _csv_lines(one, first=not number, urls=urls)
            continue
        head = {
            "set": number,
            "kind": one.kind,
            "id": one.id,
            "name": one.name,
            "columns": one.columns,
            "records": len(one.records),
            **({} if one.total is None else {"total": one.total}),
            **({"notes": one.notes} if one.notes else {}),
        }
        brief = "\n" + encode_json({"set": number, "kind": one.kind})
        lines.append(Line(0, encode_json(head), one.kind, one.id, kept=True, brief=brief))
        for record in one.records:
            data = msgspec.to_builtins(record if urls else msgspec.structs.replace(record, urls={}))
            lines.append(_line(record, {"set": number, **data}))
    if not lines and not as_csv:
        lines.append(Line(0, encode_json({"sets": 0}), "page", kept=True, head=True))
    fold = "# {}" if as_csv else '{{"fold": "{}"}}'
    return LineDocument(lines, indent="", fold=fold)


def _line(record: Record, data: dict[str, Any]) -> Line:
    data = {key: value for key, value in data.items() if value is not None and value not in ([], {})}
    ids = tuple(control.id for control in record.controls)
    # Half an object is none: a record that is too long is folded as a whole.
    brief = "\n" + encode_json({"set": data["set"], "id": record.id})
    return Line(1, encode_json(data), "record", record.id, ids, role="row", interactive=len(ids), brief=brief)


def _csv_lines(one: RecordSet, *, first: bool, urls: bool) -> Iterator[Line]:
    head, *rows = one.to_csv(urls=urls).splitlines()
    name = clean_text(f"{one.kind}: {one.name}" if one.name else one.kind)
    notes = "".join(f"; {note}" for note in one.notes)
    if not first:
        yield Line(0, "", "space", kept=True)
    yield Line(0, f"# {name}{notes}", one.kind, one.id, kept=True)
    yield Line(1, head, "head", kept=True)
    for row, record in zip(rows, one.records, strict=True):
        ids = tuple(control.id for control in record.controls)
        yield Line(1, row, "record", record.id, ids, role="row", interactive=len(ids), brief="\n#")
