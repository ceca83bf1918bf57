"""Kills and errors of the disk, a few of each; scripts/faults makes as many as are wanted."""
import pathlib
import shutil
import subprocess
import sys

from program_checks.parts import LeftOut, part

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "faults"


@part()
def killed_services(here):
    """Kills the service again and again, and holds what is stored to what was acknowledged."""
    short(here, "kills")


@part()
def failing_disks(here):
    """Fails writes of the service, and holds what is stored to what was acknowledged."""
    short(here, "io")


def short(here, kind):
    if not any(shutil.which(name) for name in ("cc", "clang", "gcc")):
        raise LeftOut("there is no C compiler to build what makes writes fail")
    done = subprocess.run([sys.executable, SCRIPT, kind, here.program, "--short"], capture_output=True, text=True, timeout=300,
                          stdin=subprocess.DEVNULL)
    here.check(done.returncode == 0, f"scripts/faults {kind} --short finds nothing wrong", done.stdout[-2000:] + done.stderr[-1000:])
