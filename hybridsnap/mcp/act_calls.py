"""The tools that act."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from hybridsnap.act.actions import find_action
from hybridsnap.client.requests import ActionRequest
from hybridsnap.errors import HybridsnapError
from hybridsnap.json_data import to_json, to_json_text
from hybridsnap.mcp import tools
from hybridsnap.mcp.call_base import ACTING_SHARE, CallBase
from hybridsnap.mcp.client_tabs import dialog_words
from hybridsnap.mcp.options import ToolError
from hybridsnap.mcp.results import Result, cut
from hybridsnap.service.downloads import saving_download, tell_saved
from hybridsnap.service.steps import StepRequest, read_action
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from hybridsnap.act.receipt import Receipt
    from hybridsnap.client.download_tracker import Download
    from hybridsnap.deadline import Deadline
    from hybridsnap.mcp.client_tabs import NumberedTab
    from hybridsnap.service.steps import ServedAction


class ActCalls(CallBase):
    """Calls that do something to the page."""

    async def do(self, tool: tools.Tool, asked: tools.Arguments) -> Result:
        """Do what a tool is for: by the method of its name, or else as the table of actions has it."""
        method = getattr(self, tool.name, None)
        if method is not None:
            result: Result = await method(asked)
            return result
        try:
            return await self._request(asked, _request_of(tool, asked))
        except (TypeError, ValueError) as error:
            if isinstance(error, HybridsnapError):
                raise
            raise type(error)(tool.in_its_words(str(error))) from None

    async def click(self, asked: Any) -> Result:
        """Click an element; save the file that it downloads, if that is asked for."""
        request = _request_of(tools.ACTION_TOOLS["click"], asked)
        folder = self._options.download_folder
        if asked.download is UNSET or not asked.download:
            return await self._request(asked, request)
        if folder is None:
            raise ToolError("downloads are saved only when the server is started with --downloads FOLDER")
        saved: list[Download] = []

        async def click_and_save(tab: NumberedTab, until: Deadline) -> Receipt:
            async with saving_download(self._content, tab, folder, deadline=until) as download:
                receipt: Receipt = await request.perform(tab.page, until)
            saved.append(download)
            told: Receipt = tell_saved(receipt, download)
            return told

        result = await self._act(asked, click_and_save)
        (download,) = saved
        result.said.append("the download is saved")
        result.page.insert(0, f"saved: {clean_text(str(download.path))} ({download.received} bytes)")
        result.data["saved"] = {"path": str(download.path), "bytes": download.received}
        return result

    async def fill_form(self, asked: tools.FillForm) -> Result:
        """Fill several fields."""
        entries = [msgspec.to_builtins(one) for one in asked.entries]
        return await self._request(asked, ActionRequest(find_action("fill_form"), {"entries": entries}))

    async def act(self, asked: tools.Act) -> Result:
        """Do any other action of the table, or a step."""
        data = {} if asked.arguments is UNSET else dict(asked.arguments)
        for name in {"action", "element"} & data.keys():
            raise ToolError(f"{name} stands beside arguments, not in it")
        try:
            request = read_action(
                {**data, **asked.given("element"), "action": asked.action}, tabs="use the tool tabs"
            )
        except ValueError as error:
            raise ToolError(str(error)) from None
        elsewhere = tools.ELSEWHERE.get(request.name)
        if elsewhere is not None:
            raise ToolError(f"use the tool {elsewhere} for {request.name}")
        if request.name in {"stop", "None"}:
            raise ToolError(f"{request.name} is for the loop around an agent; there is nothing to do")
        if isinstance(request, StepRequest) or not (request.spec.reads or request.spec.immediate):
            return await self._request(asked, request)
        return await self._read(asked, request)

    async def _request(self, asked: tools.Arguments, request: ServedAction) -> Result:
        return await self._act(asked, lambda tab, until: request.perform(tab.page, until))

    async def _read(self, asked: tools.Arguments, request: ActionRequest) -> Result:
        """Do an action that gives a value, or one that is done at once."""
        async with self._turn() as tab:
            await self._content.check(tab, self.deadline)
            value = await request.perform(tab.page, self.deadline.share(ACTING_SHARE))
            await self._content.check_done(tab, self.deadline)
        if request.spec.immediate:
            return Result([f"{request.name}: done"])
        return self._value(asked, value)

    def _value(self, asked: tools.Arguments, value: Any) -> Result:
        """What was read, as JSON, as much of it as fits."""
        data = to_json(value)
        text, left_out = cut(to_json_text(data), self._budget(asked))
        return Result([left_out] if left_out else [], [text], {"value": text if left_out else data})

    async def select(self, asked: tools.Select) -> Result:
        """Choose options, by label or else by value."""
        options = {"element": asked.element, "label": asked.options}
        return await self._request(asked, ActionRequest(find_action("select_option"), options))

    async def handle_dialog(self, asked: tools.HandleDialog) -> Result:
        """Answer the dialog that is open. Whoever else works on the page is waiting for that."""
        tab = await self._tab()
        dialogs = tab.page.dialogs
        may_return = not dialogs or await self._client.may_return(tab, self.deadline)
        given = asked.given("text")
        if given and dialogs and dialogs[-1].type != "prompt":
            raise ToolError(f"text is for a prompt, and the dialog is of type {dialogs[-1].type}")
        try:
            dialog = await tab.page.answer_dialog(
                asked.accept, **given, timeout=self.deadline.share(ACTING_SHARE)
            )
        except HybridsnapError as error:  # it may quote the dialog
            if may_return:
                raise
            raise ToolError(
                "the dialog could not be answered; navigate elsewhere, or close the tab"
            ) from error
        result = Result(["accepted" if asked.accept else "dismissed"])
        if may_return:
            result.page.append(dialog_words(dialog))
            result.data["dialog"] = dialog_words(dialog)
        if dialog.type == "beforeunload" and asked.accept:
            await self._await_load(tab)
        await self._show_changes(tab, result, self._action_budget(asked))
        return result


def _request_of(tool: tools.Tool, asked: tools.Arguments) -> ActionRequest:
    """The action that a tool is, with what the call gave."""
    assert tool.action is not None, f"{tool.name} is an action"
    return ActionRequest(tool.action, tool.action_arguments(asked))
