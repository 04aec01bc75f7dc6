"""Taking a trace: one `Recorder` object makes one recording, in four phases.

    recorder = make_recorder(spec, categories)
    arguments = recorder.setup()            # command-line arguments that the browser must be started with
    await recorder.start(launched, page)
    await recorder.stop()
    collected = await recorder.collect(path)

`RecordSpec` is the configuration and stays as the scenario wrote it; everything that belongs to one recording is in the
recorder. `StartupRecorder` is the one that nobody can start or stop. `identify_page` says afterwards on which process
and thread each frame of the page lives.
"""

from harness.record.identify import identify_page, process_types
from harness.record.make import make_recorder, trace_suffix
from harness.record.recorder import GZIP_JSON, Collected, Recorder
from harness.record.startup import PATIENCE_S, StartupRecorder

__all__ = [
    "GZIP_JSON",
    "PATIENCE_S",
    "Collected",
    "Recorder",
    "StartupRecorder",
    "identify_page",
    "make_recorder",
    "process_types",
    "trace_suffix",
]
