"""A Chrome trace read into a model: `load(path)` gives a `Trace`, `resolve_page` says which process is the page."""

from harness.trace.event import Event, WireEvent
from harness.trace.flows import Flow
from harness.trace.loss import losses, losses_told
from harness.trace.model import Trace, from_events, from_records, in_the_file, load
from harness.trace.page import resolve_page
from harness.trace.scope import in_scope, processes_in_role, threads_in_role
from harness.trace.threads import ProcessInfo, ThreadInfo

__all__ = [
    "Event",
    "Flow",
    "ProcessInfo",
    "ThreadInfo",
    "Trace",
    "WireEvent",
    "from_events",
    "from_records",
    "in_scope",
    "in_the_file",
    "load",
    "losses",
    "losses_told",
    "processes_in_role",
    "resolve_page",
    "threads_in_role",
]
