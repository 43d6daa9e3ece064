"""`ActionSpec`: everything that the faces of hybridsnap need to know of one action.

The table (`hybridsnap.act.actions.ACTIONS`) is the only list of actions. `Page`'s methods are written out,
with their types; a test compares them with the table. Everything else is derived from it: actions on tabs of
foreign drivers, actions as JSON (HTTP, the command line), OpenAPI, MCP's tools, WebArena's steps.

To add an action: write its plan, its spec, and its method of `Page`; then `python -m tests.stubs`, a line in
`docs/drivers/client.md`, and a try of it in `tests/drivers/test_actions_by_name.py`.
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    Generic,
    Literal,
    TypeAlias,
    TypedDict,
    TypeVar,
    cast,
)

import msgspec

from hybridsnap.act.finding import ElementQuery, found_element
from hybridsnap.act.readiness import check_wait
from hybridsnap.model import MOST_INTEGER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.act.element_history import ElementHistory
    from hybridsnap.act.files import Permit
    from hybridsnap.act.piggyback import Piggyback
    from hybridsnap.act.readiness import UntilReady
    from hybridsnap.capture.node_resolver import NodeRef, NodeResolver
    from hybridsnap.protocol.plan import Plan

T = TypeVar("T")
#: By name, complete: a parameter that the caller left out has its default.
Arguments: TypeAlias = "Mapping[str, Any]"
#: The default of a parameter that has none.
REQUIRED: Final = inspect.Parameter.empty


class ActionOptions(TypedDict, total=False):
    """Options that every action has which does something.

    Attributes:
        wait: True (the default) waits until the element can be acted on, as long as the deadline allows
            (`hybridsnap.act.readiness`); False refuses at once; a number is the most seconds to wait.
        receipt: False leaves out watching the page and waiting for it to settle: the receipt says what was
            done, and not its effect.
    """

    wait: bool | float
    receipt: bool


class ReadingOptions(ElementQuery, total=False):
    """Options of actions that read an element.

    Attributes:
        wait: as in `ActionOptions`, for what a selector matches; what an id means is there, or stale.
    """

    wait: bool | float


class ElementOptions(ElementQuery, ActionOptions, total=False):
    """Likewise, for actions on an element."""


@dataclasses.dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an action.

    Attributes:
        name: as in Python; JSON has it in camelCase.
        type: of its values in JSON, as msgspec reads them.
        doc: what it means, in a few words.
        default: `REQUIRED` where the caller has to give it.
        positional: it may be given by its position.
        variadic: it takes all further positional arguments; in JSON it is a list.
    """

    name: str
    type: Any
    doc: str
    default: Any = REQUIRED
    positional: bool = False
    variadic: bool = False

    @property
    def required(self) -> bool:
        """Whether the caller has to give it."""
        return self.default is REQUIRED and not self.variadic


#: How much alike a wrong keyword and a right one are, where that is probably meant: force and frame are 0.6.
_NEAR = 0.65
#: A whole number from 0 on, as JSON has them.
Natural = Annotated[int, msgspec.Meta(ge=0, le=MOST_INTEGER)]
#: How an element is named beside its id, ref or selector: the keys of `ElementQuery`.
NAMING: Final[tuple[Parameter, ...]] = (
    Parameter("nth", Natural, "which of a selector's matches, from 0", None),
    Parameter("as_of", str, "the id of the snapshot in which an element id was read", None),
    Parameter("backend_node_id", Natural, "names the element by itself, without an id", None),
    Parameter("frame", Natural | str, "of that node: its frame's ordinal or id; else the main frame", None),
)
#: How long an action waits for its element.
WAIT: Final = Parameter(
    "wait",
    bool | float,
    "true: until the element can be acted on; false: not at all; or at most so many seconds",
    True,
)
_RECEIPT = Parameter("receipt", bool, "false: nothing is watched, and the page need not settle", True)
#: What every action takes that does something, beside its own parameters: the keys of `ActionOptions`.
OPTIONS: Final[tuple[Parameter, ...]] = (WAIT, _RECEIPT)


@dataclasses.dataclass(frozen=True, slots=True)
class ActionContext:
    """What a plan of an action works with.

    Attributes:
        resolver: finds nodes of the page.
        history: what has been shown of the page, and what its input devices hold.
        permit_upload: asked for each path that the page is to get; None permits all.
        ready: of an action on the page: waits for the elements of its own.
        place: of an action on the page: what `ActionSpec.around` found, with a handle.
        early: of an action on an element: what `ActionSpec.early` gave, with its outcomes.
    """

    resolver: NodeResolver
    history: ElementHistory
    permit_upload: Permit | None = None
    ready: UntilReady | None = None
    place: NodeRef | None = None
    early: Any = None

    def find(self, element: str) -> Plan[Element]:
        """A further element of an action, by its id, ref or selector."""
        found, _ = yield from found_element(self.resolver, self.history, element, {})
        return found


def on_element(plan: Callable[..., Plan[T]]) -> Callable[[ActionContext, Element, Arguments], Plan[T]]:
    """A plan of an action: this one, with the page's resolver, the element, and the arguments by name."""
    return lambda context, element, arguments: plan(context.resolver, element, **arguments)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ActionSpec(Generic[T]):
    """One action.

    Attributes:
        name: of `Page`'s method.
        doc: what it does, in one line.
        element: whether it is done to an element.
        element_name: the name of that parameter.
        naming: the element may be named by ``backend_node_id=`` and the like, too.
        parameters: beside the element and the common options, in order.
        plan: does it, to an `Element`, or to None where the action is done to the page. Without a plan only a
            `Page` can do it, by the client's events or connections.
        early: what is asked of the element together with its identity, to save a round trip; it must not do
            anything to the page. The plan finds it in its context.
        around: of an action on the page: where its effects will show; None is the main frame.
        check: refuses arguments that cannot mean anything, before anything is sent.
        title: what a receipt calls the action; the name by default.
        unmoved: a note for receipts that have seen no change in the DOM.
        tell: the receipt's ``value`` and ``details``, of what the plan returns.
        value: what that value is.
        immediate: its method returns at once, and takes no ``timeout``.
        reads: it changes nothing, and what the plan returns is the answer, instead of a receipt.
    """

    name: str
    doc: str
    element: Literal["required", "optional", "none"] = "none"
    element_name: str = "element"
    naming: bool = True
    parameters: tuple[Parameter, ...] = ()
    plan: Callable[[ActionContext, Any, Arguments], Plan[T]] | None = None
    early: Callable[[ActionContext, Arguments], Piggyback | None] | None = None
    around: Callable[[ActionContext, Arguments], Plan[NodeRef | None]] | None = None
    check: Callable[[Arguments], object] | None = None
    title: str | Callable[[Arguments], str] | None = None
    unmoved: str = ""
    tell: Callable[[T], tuple[Any, Sequence[str]]] | None = None
    value: str = ""
    reads: bool = False
    immediate: bool = False

    @property
    def takes(self) -> tuple[Parameter, ...]:
        """All that it takes: the element, its own parameters, the common options, the element's naming."""
        if self.element == "none":
            return (*self.parameters, *self._options)
        default = REQUIRED if self.element == "required" else None
        named = Parameter(self.element_name, str, "id, ref or selector", default, positional=True)
        return (named, *self.parameters, *self._options, *self._naming)

    @property
    def _options(self) -> tuple[Parameter, ...]:
        return () if self.plan is None else (WAIT,) if self.reads else OPTIONS

    @property
    def _naming(self) -> tuple[Parameter, ...]:
        return NAMING if self.naming and self.element != "none" else ()

    def bind(self, element: str | None, options: Mapping[str, object], arguments: Arguments) -> ActionCall[T]:
        """The action with its arguments, checked.

        Args:
            element: id, ref or selector.
            options: the rest of its name, and the common options.
            arguments: by name; those left out have their defaults.

        Raises:
            TypeError, ValueError: it does not take these.
        """
        self.check_options(options)
        naming = cast(
            "ElementQuery", {one.name: options[one.name] for one in self._naming if one.name in options}
        )
        named = element is not None or naming.get("backend_node_id") is not None
        if self.element == "required" and not named:
            raise TypeError(f"{self.name} needs an element: an id, a ref or a selector")
        if self.element == "none" and named:
            raise TypeError(f"{self.name} takes no element")
        if naming and not named:
            raise TypeError(f"{self.name}: {', '.join(naming)} names an element, and there is none")
        complete = {
            one.name: arguments.get(one.name, () if one.variadic else one.default) for one in self.parameters
        }
        if self.check is not None:
            self.check(complete)
        receipt = options.get("receipt", True)
        if not isinstance(receipt, bool):
            raise TypeError(f"expected receipt=True or False, got {receipt!r:.60}")
        return ActionCall(self, element, naming, complete, check_wait(options.get("wait", True)), receipt)

    def check_options(self, options: Mapping[str, object]) -> None:
        """Refuse keywords that it does not take.

        Raises:
            TypeError: the message names the keyword that is probably meant.
        """
        known = {one.name for one in (*self._naming, *self._options)}
        for name in options:
            if name not in known:
                takes = [*(one.name for one in self.takes), "timeout"]
                near = difflib.get_close_matches(name, takes, n=1, cutoff=_NEAR)
                meant = f"; {near[0]} is probably meant" if near else f"; it takes {', '.join(takes)}"
                if name == "chooser_files":  # JSON and MCP have it
                    meant = "; use Page.expect_file_chooser around it"
                raise TypeError(f"{self.name}() has no keyword {name!r}{meant}")

    def bind_positional(
        self, element: str | None, given: Sequence[Any], options: Mapping[str, Any]
    ) -> ActionCall[T]:
        """As `bind`, with arguments by position and by name, as for `Page`'s method but for the element.

        Raises:
            TypeError, ValueError: it does not take these.
        """
        names = {one.name for one in self.parameters}
        own = {name: value for name, value in options.items() if name in names}
        common = {name: value for name, value in options.items() if name not in names}
        try:
            bound = self._signature.bind(*given, **own)
        except TypeError as error:
            raise TypeError(
                f"{self.name}: {error}; it takes {', '.join(one.name for one in self.takes)}"
            ) from None
        return self.bind(element, common, bound.arguments)

    @property
    def _signature(self) -> inspect.Signature:
        kinds = inspect.Parameter
        return inspect.Signature(
            [
                inspect.Parameter(
                    one.name,
                    kinds.VAR_POSITIONAL
                    if one.variadic
                    else kinds.POSITIONAL_OR_KEYWORD
                    if one.positional
                    else kinds.KEYWORD_ONLY,
                    default=one.default,
                )
                for one in self.parameters
            ]
        )


@dataclasses.dataclass(frozen=True, slots=True)
class ActionCall(Generic[T]):
    """An action with its arguments, ready to be done.

    Attributes:
        spec: of the action.
        element: id, ref or selector; None for an action on the page, or with a ``backend_node_id``.
        naming: the rest of the element's name.
        arguments: complete.
        wait: seconds that the element may take to be ready; infinite for as long as the deadline allows.
        receipt: what comes of the action is watched.
    """

    spec: ActionSpec[T]
    element: str | None
    naming: ElementQuery
    arguments: Arguments
    wait: float
    receipt: bool

    @property
    def title(self) -> str:
        """What a receipt calls it."""
        title = self.spec.title
        return self.spec.name if title is None else title if isinstance(title, str) else title(self.arguments)

    def tell(self, result: T) -> tuple[Any, Sequence[str]]:
        """A receipt's ``value`` and ``details``, of what the plan has returned."""
        return (None, ()) if self.spec.tell is None else self.spec.tell(result)

    @property
    def names_element(self) -> bool:
        """Whether it is done to an element."""
        return self.element is not None or bool(self.naming)

    def act(self, context: ActionContext, found: Element | None) -> Plan[T]:
        """The plan of the action itself, on the element that was found."""
        assert self.spec.plan is not None, f"{self.spec.name} has a plan"
        return self.spec.plan(context, found, self.arguments)

    def early(self, context: ActionContext) -> Piggyback | None:
        """What is asked of the element together with its identity."""
        return None if self.spec.early is None else self.spec.early(context, self.arguments)

    def around(self, context: ActionContext) -> Plan[NodeRef | None]:
        """Where an action on the page will show."""
        return None if self.spec.around is None else (yield from self.spec.around(context, self.arguments))
