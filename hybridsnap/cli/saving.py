"""``hybridsnap save``: a page as a file; and ``hybridsnap storage``: what it keeps."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridsnap.cli.options import add_endpoint, add_flag, add_page
from hybridsnap.json_data import to_json, to_json_text
from hybridsnap.service.usage import UsageError
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    import argparse

    from hybridsnap.client.browser import Page
    from hybridsnap.client.profile_storage import Area
    from hybridsnap.deadline import Deadline

_SAVE_EXAMPLES = """\
examples:
  hybridsnap save https://example.com -o page.pdf --paper a4 --margin 2cm
  hybridsnap save https://example.com -o page.png --device 'iPhone 15'
  hybridsnap save http://127.0.0.1:9222 -o order.webp --element '#order'

exit codes: 0 done, 2 wrong usage, 1 anything else"""
_STORAGE_EXAMPLES = """\
examples:
  hybridsnap storage https://example.com
  hybridsnap storage http://127.0.0.1:9222 --values --json      of the page that is open

exit codes: 0 done, 2 wrong usage, 1 anything else"""
_OF_PDF = ("paper", "landscape", "margin", "scale", "pages", "background")
_OF_PICTURE = ("element", "viewport_only", "quality", "mask", "labels")
_AREAS: tuple[Area, ...] = ("local", "session")


def add_save(commands: Any) -> None:
    """Add ``save`` to the command line."""
    parser = commands.add_parser(
        "save",
        help="a page as a PDF, MHTML, HTML or picture file",
        description="Write a page to a file. The ending says as what: .pdf, .mhtml, .html, .png, .jpg, .webp",
        usage="hybridsnap save ENDPOINT-OR-URL -o FILE [options]",
        epilog=_SAVE_EXAMPLES,
    )
    add_endpoint(parser)
    parser.add_argument(
        "-o", "--output", metavar="FILE", required=True, help="the file to write; one that exists is replaced"
    )
    pdf = parser.add_argument_group("of a PDF")
    pdf.add_argument("--paper", metavar="NAME", help="letter (default), legal, tabloid, ledger, a0 to a6")
    pdf.add_argument("--landscape", action="store_true", default=None, help="turned")
    pdf.add_argument("--margin", metavar="LENGTH", help="20mm, 1in, 96px, 12pt (default 0.4in)")
    pdf.add_argument("--scale", metavar="N", type=float, help="0.1 to 2 (default 1)")
    pdf.add_argument("--pages", metavar="RANGES", help="such as '1-5, 8' (default all)")
    pdf.add_argument("--background", action="store_true", default=None, help="with colours and pictures")
    picture = parser.add_argument_group("of a picture")
    picture.add_argument(
        "--element",
        metavar="ELEMENT",
        help="only this: an XPath or a CSS selector; waited for up to 5 s",
    )
    picture.add_argument(
        "--viewport-only", action="store_true", default=None, help="not the full page (default)"
    )
    picture.add_argument(
        "--mask",
        metavar="ELEMENT",
        action="append",
        help="paint over this: an XPath or a CSS selector (repeatable)",
    )
    picture.add_argument(
        "--labels",
        action="store_true",
        default=None,
        help="draw the ids of what can be operated; with --viewport-only",
    )
    picture.add_argument("--quality", metavar="N", type=int, help="0 to 100, of .jpg and .webp")
    add_page(parser, 30.0)


def add_storage_listing(commands: Any) -> None:
    """Add ``storage`` to the command line."""
    parser = commands.add_parser(
        "storage",
        help="cookies and web storage of a page",
        description="Print the cookies that a page gets, and what its frames' origins hold in localStorage"
        " and sessionStorage, one line each. Values are shown only with --values: logins are among them.",
        usage="hybridsnap storage ENDPOINT-OR-URL [options]",
        epilog=_STORAGE_EXAMPLES,
    )
    add_endpoint(parser)
    add_flag(parser, "--values", "with values")
    add_flag(parser, "--json", "JSON lines")
    add_page(parser, 30.0)


def check_save(arguments: argparse.Namespace) -> None:
    """Refuse what cannot mean anything.

    Raises:
        UsageError: the file has no ending that is known, or an option is of another kind of file.
    """
    from hybridsnap.service.taken import ENDINGS, PICTURES  # noqa: PLC0415 - not for --help

    ending = Path(arguments.output).suffix.lower()
    format_ = ENDINGS.get(ending.removeprefix("."))
    if format_ is None:
        raise UsageError(
            f"--output {arguments.output}: expected a file that ends with .pdf, .mhtml, .html, .png, .jpg or"
            " .webp"
        )
    of_file = _OF_PDF if format_ == "pdf" else _OF_PICTURE if format_ in PICTURES else ()
    for option in {*_OF_PDF, *_OF_PICTURE}.difference(of_file):
        if getattr(arguments, option) is not None:
            raise UsageError(f"--{option.replace('_', '-')} is not for a file that ends with {ending}")
    if arguments.element is not None and arguments.viewport_only:
        raise UsageError("--element and --viewport-only exclude each other; give one of them")
    if arguments.labels and not arguments.viewport_only:
        raise UsageError("--labels are drawn on the viewport; give --viewport-only too")
    for option in ("mask", "labels"):
        if getattr(arguments, option) is not None and importlib.util.find_spec("PIL") is None:
            raise UsageError(
                f"--{option} needs Pillow, which is not installed: pip install 'hybridsnap[labels]'"
            )


async def save_page(page: Page, arguments: argparse.Namespace, deadline: Deadline) -> bytes:
    """The file's content.

    Raises:
        ValueError: an option means nothing.
    """
    from hybridsnap.service.taken import ENDINGS, PICTURES, page_as  # noqa: PLC0415 - not for --help

    format_ = ENDINGS[Path(arguments.output).suffix.lower().removeprefix(".")]
    options = {name: getattr(arguments, name) for name in _OF_PDF if getattr(arguments, name) is not None}
    if format_ in PICTURES:
        options = {"quality": arguments.quality, "element": arguments.element}
        options |= {"mask": arguments.mask or [], "labels": bool(arguments.labels)}
        options["full_page"] = arguments.element is None and not arguments.viewport_only
    return await page_as(page, format_, options, deadline)


async def storage_lines(page: Page, arguments: argparse.Namespace, deadline: Deadline) -> list[str]:
    """What is kept, as lines."""
    storage, lines = page.storage, []
    url = page.url if page.url.startswith(("http://", "https://")) else None
    cookies = [] if url is None else await storage.cookies(url, timeout=deadline)
    for cookie in cookies:
        data: dict[str, Any] = {"kept": "cookie", **cookie}
        lines.append(_storage_line(data, arguments, cookie["domain"] + cookie["path"]))
    for origin in await storage.origins(timeout=deadline):
        for area in _AREAS:
            for name, value in (await storage.items(area, origin=origin, timeout=deadline)).items():
                data = {"kept": area, "origin": origin, "name": name, "value": value}
                lines.append(_storage_line(data, arguments, origin))
    return lines


def _storage_line(data: dict[str, Any], arguments: argparse.Namespace, where: str) -> str:
    """One cookie or item; unless values are asked for, how long its value is, and in JSON nothing."""
    if arguments.json:
        if not arguments.values:
            del data["value"]
        return to_json_text(to_json(data))
    value = data["value"] if arguments.values else f"[{len(data['value'])} characters]"
    return clean_text(f"{data['kept']} {where} {data['name']}: {value}")
