"""Runs jobs several at a time, each in a process of its own, and keeps what each writes together.

A job is a function that returns an exit code, or a command. Whatever ends the run ends every job with all that it has
started: each is the leader of a group of processes.
"""
import contextlib
import dataclasses
import os
import pathlib
import signal
import sys
import time
import traceback
import typing

# How many seconds a job has for its end when the run is ended; a service that stops in order needs a few.
PATIENCE = 40


@dataclasses.dataclass(eq=False)
class Job:
    """Work with a name; `is_alone` for what measures, which runs at the end and with nothing beside it."""
    name: str
    work: typing.Union[typing.Callable, list]
    needs: tuple = ()
    is_alone: bool = False
    seconds: float = 0


class Run:
    """Runs jobs in their order, `width` at a time, each once what it needs has ended.

    `ended(job, status, text)` is called for each with its exit code and what it wrote. Where `is_live`, that went out as it
    came, and the text is empty.
    """

    def __init__(self, width, folder, ended, is_live=False):
        self.width, self.folder, self.ended, self.is_live = max(1, width), pathlib.Path(folder), ended, is_live
        self.running, self.done, self.begun = {}, set(), 0

    def all(self, jobs):
        """Returns whether all ended with 0."""
        waiting, is_fine = list(jobs), True
        try:
            while waiting or self.running:
                while (job := self.following(waiting)) is not None:
                    waiting.remove(job)
                    self.begin(job)
                if not self.running:
                    raise RuntimeError(f"what these need is not there: {', '.join(job.name for job in waiting)}")
                is_fine = self.wait() == 0 and is_fine
        finally:
            self.end()
        return is_fine

    def following(self, waiting):
        """The next job that may begin now, if there is any."""
        running = [job for job, *_ in self.running.values()]
        if len(running) >= self.width or any(job.is_alone for job in running):
            return None
        ready = [job for job in waiting if all(need in self.done for need in job.needs)]
        beside = next((job for job in ready if not job.is_alone), None)
        if beside is None and not running and all(job.is_alone for job in waiting):
            return ready[0] if ready else None
        return beside

    def begin(self, job):
        self.begun += 1
        log = None if self.is_live else self.folder / f"{self.begun}.log"
        # What is not written out yet would be written by both.
        sys.stdout.flush(), sys.stderr.flush()
        process = os.fork()
        if process == 0:
            work_in_child(job, log)
        with contextlib.suppress(OSError):
            os.setpgid(process, process)
        self.running[process] = job, log, time.monotonic()

    def wait(self):
        """Waits until one job has ended; its exit code."""
        process, status = os.wait()
        if process not in self.running:
            return 0
        job, log, start = self.running.pop(process)
        job.seconds = time.monotonic() - start
        self.done.add(job)
        # What a job left behind must not disturb the next ones.
        with contextlib.suppress(OSError):
            os.killpg(process, signal.SIGKILL)
        text = "" if log is None else log.read_text(encoding="utf-8", errors="replace")
        code = os.waitstatus_to_exitcode(status)
        self.ended(job, code, text)
        return code

    def end(self):
        """Ends what still runs."""
        if not self.running:
            return
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        groups = list(self.running)
        send(groups, signal.SIGTERM)
        deadline = time.monotonic() + PATIENCE
        while self.running and time.monotonic() < deadline:
            process, _ = os.waitpid(-1, os.WNOHANG)
            self.running.pop(process, None)
            time.sleep(0 if process else 0.05)
        send(groups, signal.SIGKILL)
        self.running.clear()


def processors():
    """How many processors this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def send(groups, number):
    for group in groups:
        with contextlib.suppress(OSError):
            os.killpg(group, number)


def work_in_child(job, log):
    """Does the work of a job in a process that was made for it, and ends that process."""
    status = 1
    try:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        if log is not None:
            file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.dup2(file, 1), os.dup2(file, 2)
        if callable(job.work):
            status = job.work() or 0
        else:
            # Python ignores the last one, which a command would inherit.
            for number in (signal.SIGTERM, signal.SIGPIPE):
                signal.signal(number, signal.SIG_DFL)
            os.execvp(job.work[0], job.work)
    except SystemExit as reason:
        status = reason.code if isinstance(reason.code, int) else 1
    except BaseException:
        traceback.print_exc(file=sys.stdout)
    finally:
        sys.stdout.flush(), sys.stderr.flush()
        os._exit(status)


def last_words(text, most=60):
    """The last lines of what a job wrote."""
    return "\n".join(text.rstrip().splitlines()[-most:])


def listen_for_end():
    """Makes SIGTERM end the run in order, as Ctrl-C does."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
