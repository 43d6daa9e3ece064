"""The pages that are measured, generated anew at each run.

Rules of the generators:

- Nothing depends on the network, on fonts beyond the system's, or on chance.
- Links lead to addresses that have no fragment: a fragment that does not exist makes Chromium search the
  document once for each such link, and that search would be measured instead of the capture.
- Trees deeper than the HTML parser allows (512) are made by a script of the page, before its load event.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

TABLE_ROWS = 5_000
FRAMES = 20
LINKS_PER_FRAME = 100
CROSS_SITE_FRAMES = 5
SHADOW_HOSTS = 500
DEEP_LEVELS = 1_500
#: Where the search for the deepest page the renderer survives begins.
DEEPEST_LEVELS = 20_000
#: Elements of one group of the pages that grow, and the elements around the groups (html, head, title, body).
GROUP_ELEMENTS = 10
AROUND_GROUPS = 4
ELEMENT_COUNTS = {"elements10k": 10_000, "elements100k": 100_000, "elements300k": 300_000}
#: The pages that the bounds on capture / floor speak of.
LARGE_PAGES = ("table5000", "contents")
#: The pages that are captured over both pipes as well.
CBOR_PAGES = (*LARGE_PAGES, "elements300k", "deep")

#: Where Debian's python3-doc keeps its pages; several are links to the same directory.
PYTHON_DOC_PATTERN = "python3*/html/contents.html"
DEBIAN_DOC = Path("/usr/share/doc")
PYTHON_DOC_MOUNT = "/python-doc/"
PYTHON_DOC_ABSENT = "absent: apt-get install python3-doc"


@dataclass(frozen=True, kw_only=True)
class Page:
    """One page to measure.

    Args:
        name: as `--page` takes it.
        path: what is opened on the main origin.
        arguments: what the browser is started with for this page.
        build: the documents it consists of, by path; called with the other site's origin.
        levels: of a page whose depth is searched for, where the search begins; 0 otherwise.
        quick: whether `--quick` measures it.
    """

    name: str
    path: str
    build: Callable[[str], dict[str, str]]
    arguments: tuple[str, ...] = ()
    levels: int = 0
    quick: bool = True

    @property
    def absent(self) -> str:
        """Why it cannot be measured on this machine; empty when it can."""
        if self.path.startswith(PYTHON_DOC_MOUNT) and python_doc_directory() is None:
            return PYTHON_DOC_ABSENT
        return ""


def python_doc_directory() -> Path | None:
    """Where python3-doc is installed; None when it is not."""
    found = sorted({path.resolve() for path in DEBIAN_DOC.glob(PYTHON_DOC_PATTERN)})
    return found[0].parent if found else None


def build_document(title: str, body: str) -> str:
    """A whole HTML document; the character set is said by the server."""
    return f"<!doctype html><html lang=en><head><title>{title}</title></head><body>{body}</body></html>"


def build_small(_other_site: str) -> dict[str, str]:
    """Two controls and one srcdoc iframe."""
    inner = "<p>Inside <a href='/item/1'>a frame</a></p>"
    body = f'<button>Click Me</button><input aria-label="Type here"><iframe srcdoc="{inner}"></iframe>'
    return {"/small.html": build_document("Small", body)}


def build_actions(_other_site: str) -> dict[str, str]:
    """One control of each kind, for actions; some have to be scrolled to."""
    body = """
<button id=press>Press me</button> <button id=other>Other</button> <label>Name <input id=name></label>
<label>Colour <select id=colour><option>red<option>blue</select></label>
<label><input id=agree type=checkbox>Agree</label> <input id=file type=file aria-label=File>
<p id=words>Some words, with <b>bold</b> ones</p>
<div id=source role=button tabindex=0 draggable=true style="width: 100px"
  ondragstart="event.dataTransfer.setData('text/plain', 'it')">Source</div>
<div id=target role=button tabindex=0 style="width: 100px; margin: 50px" ondragover="event.preventDefault()"
  ondrop="event.preventDefault()">Target</div>
<div style="height: 3000px"></div>
<button id=far>Far away</button> <label>Far field <input id=farname></label>
<iframe src="/actions/framed.html" width=300 height=200></iframe>"""
    framed = (
        "<button id=top>Framed</button><div style='height: 1000px'></div><button id=end>Framed far</button>"
    )
    return {
        "/actions.html": build_document("Actions", body),
        "/actions/framed.html": build_document("Framed", framed),
    }


def build_table(_other_site: str) -> dict[str, str]:
    """Rows of eight elements and fourteen AX nodes: text, link, button, checkbox."""
    rows = "".join(
        f"<tr><td>Row {n}</td><td><a href='/item/{n}'>Item {n}</a></td><td><button>Edit {n}</button></td>"
        f"<td><input type=checkbox aria-label='Select {n}'></td></tr>"
        for n in range(TABLE_ROWS)
    )
    return {"/table.html": build_document("Table", f"<table><tbody>{rows}</tbody></table>")}


def build_nothing(_other_site: str) -> dict[str, str]:
    """For pages that are served from a directory."""
    return {}


def build_links(count: int, prefix: str) -> str:
    """That many links, each to an address of its own."""
    return "".join(f"<a href='/item/{prefix}{n}'>Link {prefix}{n}</a> " for n in range(count))


def build_frames(_other_site: str) -> dict[str, str]:
    """Same-origin iframes with links, each with one more iframe with as many links inside."""
    documents = {
        "/frames.html": build_document(
            "Frames",
            "<h1>Frames</h1>" + "".join(f"<iframe src='/frames/{n}.html'></iframe>" for n in range(FRAMES)),
        )
    }
    for n in range(FRAMES):
        links = build_links(LINKS_PER_FRAME, f"{n}-outer-")
        documents[f"/frames/{n}.html"] = build_document(
            f"Frame {n}", f"{links}<iframe src='/frames/{n}/inner.html'></iframe>"
        )
        documents[f"/frames/{n}/inner.html"] = build_document(
            f"Inner frame {n}", build_links(LINKS_PER_FRAME, f"{n}-inner-")
        )
    return documents


def build_oopif(other_site: str) -> dict[str, str]:
    """Iframes of another site: with --site-per-process each is a process and a session of its own."""
    frames = "".join(f"<iframe src='{other_site}/oopif/{n}.html'></iframe>" for n in range(CROSS_SITE_FRAMES))
    documents = {"/oopif.html": build_document("Cross-site frames", f"<h1>Cross-site</h1>{frames}")}
    for n in range(CROSS_SITE_FRAMES):
        documents[f"/oopif/{n}.html"] = build_document(
            f"Cross-site {n}", f"<h1>Frame {n}</h1><button>Pay {n}</button>{build_links(10, f'{n}-')}"
        )
    return documents


def build_shadow(_other_site: str) -> dict[str, str]:
    """Hosts with a shadow root each, every second one closed, one slotted child in the light."""
    script = f"""
    for (let n = 0; n < {SHADOW_HOSTS}; n++) {{
      const host = document.createElement('div');
      host.append('Light ' + n);
      const root = host.attachShadow({{mode: n % 2 ? 'closed' : 'open'}});
      root.innerHTML = '<section><h2>Widget ' + n + '</h2><button>Buy ' + n + '</button><slot></slot>'
        + '</section>';
      document.body.append(host);
    }}"""
    return {"/shadow.html": build_document("Shadow", f"<h1>Shadow</h1><script>{script}</script>")}


def build_deep(_other_site: str) -> dict[str, str]:
    """Nested divs with a button at the bottom."""
    script = f"""
    let bottom = document.body;
    for (let n = 0; n < {DEEP_LEVELS}; n++) bottom = bottom.appendChild(document.createElement('div'));
    bottom.innerHTML = '<button>At the bottom</button>';"""
    return {"/deep.html": build_document("Deep", f"<h1>Deep</h1><script>{script}</script>")}


def build_deepest(_other_site: str) -> dict[str, str]:
    """`?levels=N` nested divs inside `display: none`, two children a level.

    Laid out, the renderer crashes at 5,000 levels already. The tree grows while it is attached: inserting a
    deep subtree at once is a recursion of Chromium's own.
    """
    script = """
    const levels = Number(new URLSearchParams(location.search).get('levels'));
    let bottom = document.getElementById('hidden');
    for (let n = 0; n < levels; n++) {
      bottom.appendChild(document.createElement('span'));
      bottom = bottom.appendChild(document.createElement('div'));
    }
    bottom.innerHTML = '<button>At the bottom</button>';"""
    body = f"<h1>Deepest</h1><div id=hidden style='display: none'></div><script>{script}</script>"
    return {"/deepest.html": build_document("Deepest", body)}


def build_elements(count: int) -> dict[str, str]:
    """`count` elements exactly, in groups of a mixed kind.

    Sparing with text: the AX reply of the largest has to stay below the 256 MB that Chromium's DevTools
    socket sends at most, and each text costs two AX nodes of some 350 bytes.
    """
    groups, rest = divmod(count - AROUND_GROUPS, GROUP_ELEMENTS)
    body = "".join(
        f"<article><h3>Article {n}</h3><div><div><p>Some text about number {n}.</p></div>"
        f"<div><a href='/item/{n}'>Read {n}</a></div></div><button aria-label='Buy {n}'></button>"
        f"<input type=checkbox aria-label='Select {n}'><hr></article>"
        for n in range(groups)
    )
    return {f"/elements{count}.html": build_document("Elements", body + "<hr>" * rest)}


def _elements_page(name: str, count: int) -> Page:
    return Page(
        name=name,
        path=f"/elements{count}.html",
        build=lambda _other_site: build_elements(count),
        quick=count == min(ELEMENT_COUNTS.values()),
    )


PAGES: dict[str, Page] = {
    page.name: page
    for page in (
        Page(name="small", path="/small.html", build=build_small),
        Page(name="actions", path="/actions.html", build=build_actions),
        Page(name="frames", path="/frames.html", build=build_frames),
        Page(name="shadow", path="/shadow.html", build=build_shadow),
        Page(name="oopif", path="/oopif.html", build=build_oopif, arguments=("--site-per-process",)),
        Page(name="deep", path="/deep.html", build=build_deep),
        Page(name="deepest", path="/deepest.html", build=build_deepest, levels=DEEPEST_LEVELS, quick=False),
        Page(name="table5000", path="/table.html", build=build_table, quick=False),
        Page(name="contents", path=f"{PYTHON_DOC_MOUNT}contents.html", build=build_nothing, quick=False),
        Page(name="os", path=f"{PYTHON_DOC_MOUNT}library/os.html", build=build_nothing, quick=False),
        *(_elements_page(name, count) for name, count in ELEMENT_COUNTS.items()),
    )
}
