"""What a server counts, as Prometheus reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from hybridsnap.client.metrics import DURATION_BOUNDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client.metrics_core import Metric

    from hybridsnap.server.control import Control

#: As the text format names itself.
TEXT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
#: Counters of `hybridsnap.client.metrics.Metrics`, and what they count.
_COUNTED = {
    "captures": "snapshots that were taken",
    "partial_captures": "of these, those that lack something",
    "evaluation_timeouts": "evaluations that were ended at their deadline",
    "evaluations_failed": "scripts that threw or did not compile",
    "evaluations_cancelled": "evaluations that were cancelled",
    "terminations": "scripts that were ended by force",
    "reattached": "tabs that were attached to anew",
    "stale_ids": "actions refused because their element was gone",
    "covered_clicks": "actions refused because something lay on top",
    "retries": "elements that were looked for again within an action",
}
#: Those that have a count for each of something: metric → counter, what it counts, and by what.
_COUNTED_EACH = {
    "evaluation_ways": ("ways", "evaluations by their connection", "way"),
    "evaluation_fallbacks": (
        "fallbacks",
        "evaluations without a connection of their own, by reason",
        "reason",
    ),
    "actions": ("actions", "actions done", "action"),
}


class ServerMetrics:
    """The metrics of one server."""

    def __init__(self, control: Control) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "hybridsnap_http_requests",
            "requests that were answered",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "hybridsnap_http_request_seconds",
            "how long a request took, queue and all",
            ("method", "route"),
            buckets=DURATION_BOUNDS,
            registry=self._registry,
        )
        self._refused = Counter(
            "hybridsnap_http_refused",
            "requests that were not let in",
            ("status",),
            registry=self._registry,
        )
        self._gone = Counter(
            "hybridsnap_http_disconnects",
            "requests whose client went before the answer",
            ("method", "route"),
            registry=self._registry,
        )
        self._registry.register(_State(control))

    def answered(self, method: str, route: str, status: int | None, seconds: float) -> None:
        """Count a request; a status of None is a client that went."""
        if status is None:
            self._gone.labels(method, route).inc()
            return
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def refused(self, status: int) -> None:
        """Count a request that was not let in."""
        self._refused.labels(str(status)).inc()

    def to_text(self) -> bytes:
        """As Prometheus reads it."""
        return generate_latest(self._registry)


class _State(Collector):
    def __init__(self, control: Control) -> None:
        self._control = control

    def collect(self) -> Iterator[Metric]:
        control = self._control
        gauges = {
            "captures_running": ("captures that run", control.slots.taken),
            "captures_waiting": ("captures that wait for a place", control.slots.waiting),
            "captures_stalled": ("captures whose page does not answer", control.slots.stalled),
            "sessions": ("sessions of clients", len(control.sessions)),
            "tabs": ("tabs that belong to sessions", control.sessions.tab_count),
        }
        for name, (what, value) in gauges.items():
            yield GaugeMetricFamily(f"hybridsnap_{name}", what, value=value)
        up = GaugeMetricFamily("hybridsnap_browser_up", "the browser is there", labels=("browser",))
        starts = CounterMetricFamily(
            "hybridsnap_browser_starts", "it was started, or connected to", labels=("browser",)
        )
        for pooled in control.browsers:
            up.add_metric((pooled.id,), float(pooled.browser is not None))
            starts.add_metric((pooled.id,), pooled.starts)
        yield up
        yield starts
        yield from self._of_browsers()

    def _of_browsers(self) -> Iterator[Metric]:
        told = {
            pooled.id: pooled.browser.metrics
            for pooled in self._control.browsers
            if pooled.browser is not None
        }
        for name, what in _COUNTED.items():
            family = CounterMetricFamily(f"hybridsnap_{name}", what, labels=("browser",))
            for browser_id, counted in told.items():
                family.add_metric((browser_id,), getattr(counted, name))
            yield family
        evaluations = CounterMetricFamily("hybridsnap_evaluations", "evaluations", labels=("browser",))
        seconds = CounterMetricFamily(
            "hybridsnap_evaluation_seconds", "seconds spent on evaluations", labels=("browser",)
        )
        for browser_id, counted in told.items():
            evaluations.add_metric((browser_id,), counted.evaluations.count)
            seconds.add_metric((browser_id,), counted.evaluations.total)
        yield from (evaluations, seconds)
        for name, (counter, what, each) in _COUNTED_EACH.items():
            family = CounterMetricFamily(f"hybridsnap_{name}", what, labels=("browser", each))
            for browser_id, counted in told.items():
                for one, count in getattr(counted, counter).items():
                    family.add_metric((browser_id, one), count)
            yield family
