"""The parent of one browser: it makes sure that nothing of the browser outlives the harness.

Run as a script by the harness, in the place of the browser:

    python -I -S guard.py ATTEMPT_DIR [--xvfb WIDTHxHEIGHT | --display NAME] -- BROWSER ARGUMENTS...

The harness holds the writing end of the named pipe `ATTEMPT_DIR/life` open and never writes: the kernel closes it
however the harness ends, `kill -9` included, and then this process kills the browser's session, ends the display and
removes the attempt's folder. Should this process itself be killed, the kernel passes a signal on to the browser
(PR_SET_PDEATHSIG), whose renderers end with their channel to it.

Only what Python has built in or loads in a moment, since each recording waits for its start: with `-I -S` about 15 ms
of a processor, of which 12 are Python's own.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterable

LIFE, PIDS, PROFILE = "life", "pids.json", "profile"
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_LIBC = ctypes.CDLL(None, use_errno=True)  # loaded before any fork: another thread may hold the loader's lock in one
_XVFB_SECONDS = 20.0
_LAST_THREAD_SECONDS = 5.0


def members(attempt: str, sessions: Iterable[int]) -> list[int]:
    """Live processes of an attempt: those in its sessions, and any that was given its profile."""
    wanted, mark, found = set(sessions), os.fsencode(f"--user-data-dir={attempt}/{PROFILE}"), []
    for entry in os.listdir("/proc"):  # noqa: PTH208 - as below
        if not entry.isdecimal() or int(entry) == os.getpid():
            continue
        try:
            with open(f"/proc/{entry}/stat", "rb") as file:  # noqa: PTH123 - pathlib costs more than the read
                state, _, _, session = file.read().rpartition(b")")[2].split()[:4]
            with open(f"/proc/{entry}/cmdline", "rb") as file:  # noqa: PTH123
                named = mark in file.read()
        except OSError:
            continue  # it ended while we looked
        if state not in (b"Z", b"X") and (named or int(session) in wanted):
            found.append(int(entry))
    return found


def end_all(attempt: str, sessions: Iterable[int], seconds: float = 10.0) -> list[int]:
    """Kill every process of an attempt and wait until none is left; returns those that would not go."""
    sessions, deadline = list(sessions), time.monotonic() + seconds
    while left := members(attempt, sessions):
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > deadline:
            return left
        time.sleep(0.005)
    return []


def die_with_parent(sign: int, parent: int) -> None:
    """Called in a child: the kernel sends it `sign` when `parent`, which has forked it, is gone in whatever way."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, sign, 0, 0, 0)
    if os.getppid() != parent:  # it died before the kernel was told
        os._exit(1)


def _start_display(size: str) -> tuple[subprocess.Popen[bytes], str]:
    import subprocess

    guard = os.getpid()
    read, write = os.pipe()
    display = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{size}x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=[write],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: die_with_parent(signal.SIGTERM, guard),  # SIGTERM: it removes its lock file
    )
    os.close(write)
    number = b""
    while not number.endswith(b"\n"):  # the digits and the line end come in two writes
        ready, _, _ = select.select([read], [], [], _XVFB_SECONDS)
        piece = os.read(read, 32) if ready else b""
        if not piece:
            display.kill()
            sys.exit("traceproof guard: Xvfb did not start")
        number += piece
    os.close(read)
    return display, f":{number.decode().strip()}"


def _start_browser(command: list[str], attempt: str, display: subprocess.Popen[bytes] | None) -> int:
    """Fork; the child waits until its pid is on record, so that whoever talks to the browser can find it."""
    guard = os.getpid()
    gate_read, gate_write = os.pipe()
    if pid := os.fork():
        os.close(gate_read)
        with open(f"{attempt}/{PIDS}", "w") as file:  # noqa: PTH123 - pathlib takes as long to load as all the rest
            file.write(f'{{"guard": {guard}, "browser": {pid}, "display": {display.pid if display else "null"}}}')
        os.close(gate_write)
        return pid
    os.close(gate_write)
    os.setsid()
    die_with_parent(signal.SIGKILL, guard)
    os.read(gate_read, 1)
    os.close(gate_read)
    for sign in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE):
        signal.signal(sign, signal.SIG_DFL)
    try:
        os.execv(command[0], command)
    except OSError as error:
        print(f"traceproof guard: {command[0]}: {error.strerror}", file=sys.stderr)
        os._exit(127)


def _harness_gone(life: int) -> bool:
    try:
        return os.read(life, 1) == b""
    except BlockingIOError:
        return False


def _goes_within(life: int, seconds: float) -> bool:
    """As nobody ever writes, what can be read is the end."""
    return _harness_gone(life) or bool(select.select([life], [], [], seconds)[0])


def _wait(browser: int, life: int, wake: int) -> int | None:
    """Until the browser ends (its wait status) or has to be ended (None). Reaps whatever was left to us meanwhile."""
    poll = select.poll()
    poll.register(life, select.POLLIN)
    poll.register(wake, select.POLLIN)
    while True:
        if _harness_gone(life):
            return None
        poll.poll()
        for sign in os.read(wake, 64) if select.select([wake], [], [], 0)[0] else b"":
            if sign != signal.SIGCHLD:
                return None
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                if found[0] == browser:
                    return found[1]


def kill_group(browser: int, *, reaped: bool) -> None:
    """Kill the browser with its children, who come to us when it is gone, and wait for them: looking for processes, as
    `end_all` does, costs more than all of this, and then finds them dead."""
    if not reaped:  # by its own number too: where the harness died at once it has not made its group yet
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(browser, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(browser, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-browser, 0)


def _give_time(display: subprocess.Popen[bytes], seconds: float = 5.0) -> None:
    deadline = time.monotonic() + seconds
    while display.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)


def _remove(folder: str) -> None:
    for place, folders, files in os.walk(folder, topdown=False):
        for remove, names in ((os.unlink, files), (os.rmdir, folders)):
            for name in names:
                with contextlib.suppress(OSError):
                    (os.unlink if os.path.islink(f"{place}/{name}") else remove)(f"{place}/{name}")  # noqa: PTH114
    with contextlib.suppress(OSError):
        os.rmdir(folder)  # noqa: PTH106


def main(arguments: list[str]) -> int:
    split = arguments.index("--")
    attempt, command = arguments[0], arguments[split + 1 :]
    # Before anything is started: a signal must find its handler, and orphaned grandchildren must come to us.
    wake_read, wake_write = os.pipe()
    for end in (wake_read, wake_write):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    for sign in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(sign, lambda *_: None)
    _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    die_with_parent(signal.SIGTERM, os.getppid())
    life = os.open(f"{attempt}/{LIFE}", os.O_RDONLY | os.O_NONBLOCK)

    display = None
    if "--xvfb" in arguments[:split]:
        display, os.environ["DISPLAY"] = _start_display(arguments[arguments.index("--xvfb") + 1])
        os.environ.pop("WAYLAND_DISPLAY", None)
    elif "--display" in arguments[:split]:
        os.environ["DISPLAY"] = arguments[arguments.index("--display") + 1]
    browser = _start_browser(command, attempt, display)

    status = _wait(browser, life, wake_read)
    kill_group(browser, reaped=status is not None)
    end_all(attempt, [browser])
    if display:
        display.terminate()
        _give_time(display)
        display.kill()
    # A killed harness goes thread by thread: the one that started us may be gone, of which the kernel tells us by a
    # signal, while another is still in a write to a slow disk and holds the pipe.
    if _goes_within(life, _LAST_THREAD_SECONDS if status is None else 0):
        _remove(attempt)
    code = os.waitstatus_to_exitcode(status) if status is not None else -signal.SIGKILL
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
