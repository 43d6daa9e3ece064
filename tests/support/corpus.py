"""Real pages to capture: a seeded sample of what Debian's -doc packages hold, and pages of our own.

Nothing is copied: the test takes the packages that are installed, and prints which pages it took.
`apt-get install` of `PACKAGES` gives the whole corpus.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

#: Packages with many HTML pages, of different generators: Sphinx, DocBook, AsciiDoc, hand-made.
PACKAGES = [
    "python3.11-doc",
    "python3.13-doc",
    "postgresql-doc-15",
    "postgresql-doc-17",
    "git-doc",
    "cmake-doc",
    "sqlite3-doc",
    "debian-policy",
]
SEED = 20261120
SAMPLE = 60
HOW_TO_INSTALL = "apt-get install python3-doc postgresql-doc-15 git-doc cmake-doc sqlite3-doc debian-policy"


def installed_pages() -> dict[str, list[Path]]:
    """Package → its HTML pages, of the packages that are installed."""
    if shutil.which("dpkg-query") is None:
        return {}
    found: dict[str, list[Path]] = {}
    for package in PACKAGES:
        listing = subprocess.run(
            ["dpkg-query", "--listfiles", package], capture_output=True, text=True, check=False
        )
        # A page may be a link into another package; each file counts once.
        pages = {
            path.resolve()
            for line in listing.stdout.splitlines()
            if (path := Path(line)).suffix in (".html", ".xhtml", ".htm") and path.is_file()
        }
        if pages:
            found[package] = sorted(pages)
    return found


def sample(count: int = SAMPLE, seed: int = SEED) -> list[Path]:
    """`count` pages, as evenly over the packages as they have pages, the same for the same seed."""
    chooser = random.Random(seed)
    pools = [chooser.sample(pages, len(pages)) for pages in installed_pages().values()]
    chosen: list[Path] = []
    while len(chosen) < count and any(pools):
        for pool in pools:
            if pool and len(chosen) < count:
                chosen.append(pool.pop())
    return chosen


OWN_PAGES = {
    "/frames.html": """<!doctype html><title>Frames</title><h1>Orders</h1><p>Everything in one place.</p>
      <iframe title="Terms" src="/terms.xhtml"></iframe>
      <iframe title="Payment" src="http://localhost:{PORT}/form.html"></iframe>
      <x-box><template shadowrootmode="closed"><h2>Boxed</h2>
      <iframe src="http://localhost:{PORT}/svg.html"></iframe>
      <slot></slot></template><p>Slotted words</p></x-box>
      <div aria-hidden="true">not said</div><div inert>nor this <button>off</button></div>""",
    "/form.html": """<!doctype html><title>Form</title><form><fieldset><legend>Who</legend>
      <label>First name <input name="first" value="Ada"></label> <label>Born <input type="date"></label>
      <label><input type="checkbox" checked> I agree</label>
      <label>Country <select><option>Finland<option selected>Norway</select></label>
      <p>Choose <label><input type="radio" name="r"> one</label> or
      <label><input type="radio" name="r"> two</label></p>
      <textarea aria-label="Message">Hello</textarea></fieldset><p>By sending you agree.</p>
      <button>Send <b>now</b></button> <input type="reset"> <output>7</output></form>
      <dialog open><p>Really?</p><button>Yes</button></dialog>
      <details open><summary>Details</summary><p>Shown details</p></details>""",
    "/svg.html": """<!doctype html><title>SVG and MathML</title><p>A chart:</p>
      <svg width="300" height="120"><text y="20">Sales</text><a href="/x"><text y="40">More sales</text></a>
      <foreignObject y="50" width="200" height="60">
      <p>Words in HTML <button>Zoom</button></p></foreignObject></svg>
      <p>The sum
      <math><mrow><mn>1</mn><mo>+</mo><mi>sin</mi><mtext>of text</mtext></mrow></math>
      is known.</p>
      <table><caption>Sums</caption><tr><th>Name</th><th>Sum</th></tr>
      <tr><td>Ada</td><td><a href="/y">12</a></td></tr>
      </table>""",
    "/terms.xhtml": """<?xml version="1.0"?><!DOCTYPE html>
      <html xmlns="http://www.w3.org/1999/xhtml"><head><title>Terms</title></head>
      <body><h1>Terms &amp; conditions</h1>
      <p>Read <em>all</em><![CDATA[ of < this]]>
      carefully.</p><?note keep?><ol><li>First</li><li>Second <a href="/z">link</a></li></ol>
      <svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"><text y="20">Sealed</text></svg>
      </body></html>""",
    "/drawing.svg": """<svg xmlns="http://www.w3.org/2000/svg" width="300" height="90"><title>Plan</title>
      <text y="20">Kitchen</text><a href="/door"><text y="50">Door</text></a></svg>""",
    "/data.xml": """<?xml version="1.0"?><list xmlns:a="urn:a">
      <item n="1">First item</item><a:item>Second</a:item>
      </list>""",
}
