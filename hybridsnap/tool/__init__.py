"""`BrowserTool`: a browser as one tool of an agent, driven by plain dictionaries.

::

    tool = BrowserTool()
    tool.execute({"action": "launch"})
    tool.execute({"action": "navigate", "url": "https://example.com"})
    tool.execute({"action": "click", "selector": "#open-desk"})   # CSS, XPath, or an element id
    tool.execute({"action": "close"})

The class is in `browser_tool`; `arguments` reads and describes what a call takes.

Each call returns ``{"success", "stdout", "stderr", "output_files"}`` and never raises. A browser stays open
from one call to the next and ends with the process at the latest. After every action but ``list`` and
``close`` the page is saved as ``<browser_id>_<action>_<time>``, in abstract mode as the ``controls`` format.

The schema, the file names and the Chinese wording come from the tool specification that many agent frameworks
share ("playwright_browser"). `PlaywrightBrowserTool` is the same class; Playwright is not needed.
"""

from __future__ import annotations

from hybridsnap.tool.browser_tool import BrowserSession, BrowserTool, PlaywrightBrowserTool

__all__ = ["BrowserSession", "BrowserTool", "PlaywrightBrowserTool"]
