"""What check-program consists of: parts, and the preparations they ask for.

A part is a function that uses the program in a fresh folder and checks what it sees. A preparation is a function that
makes something several parts need; it runs once, in a folder of its own, and every part that names it begins with a
copy of what is in there. No part sees another part's files, so that each can run alone, in any order and beside others. All
share the cache of the user, with the compiled gazetteer, as commands of one user do.
"""
import dataclasses
import os
import pathlib
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHARED = pathlib.Path(os.environ.get("WAYMARK_SHARED") or ROOT.parent / "shared") / "data"
PARTS = {}


class LeftOut(Exception):
    """Something from outside this repository is missing, so that a part cannot run here."""


@dataclasses.dataclass(frozen=True)
class Preparation:
    """Something that parts need. A library of Python is used where it was fetched; everything else is copied."""
    name: str
    make: typing.Callable
    needs: tuple = ()
    is_library: bool = False


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    check: typing.Callable
    needs: tuple
    # What compares times, or measures, has the machine for itself.
    is_alone: bool = False

    @property
    def purpose(self):
        return self.check.__doc__.strip().splitlines()[0]


def named(function):
    return function.__name__.replace("_", "-")


def preparation(*needs):
    """Makes a function a preparation that begins with copies of other preparations."""
    return lambda function: Preparation(named(function), function, needs)


def part(*needs, alone=False):
    """Makes a function a part that begins with copies of these preparations; nothing runs beside one that is `alone`."""
    def register(function):
        made = Part(named(function), function, needs, alone)
        if made.name in PARTS:
            raise ValueError(f"two parts are called {made.name}")
        PARTS[made.name] = made
        return function
    return register


def library(requirement):
    """A preparation that fetches a library of Python with pip; parts import it with `here.module`."""
    return Preparation(requirement, lambda here: here.fetch(requirement), is_library=True)


def shared(path):
    """A file or folder of the shared data; where it is missing, the part is left out."""
    found = SHARED / path
    if not found.exists():
        raise LeftOut(f"the real data is missing: {found}")
    return found
