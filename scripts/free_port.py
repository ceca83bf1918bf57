"""Finds a free port, for a service whose port has to be known beforehand."""
import pathlib
import random
import socket

RANGE = pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range")
# How many ports below the range are tried.
BELOW = 12_000


def free_port():
    """Returns a free port, below those that the system gives to programs which ask for any.

    So no program that starts meanwhile takes it.
    """
    try:
        low = int(RANGE.read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        low = 0
    draw = random.SystemRandom()
    for port in [draw.randrange(low - BELOW, low) for _ in range(50)] if low > BELOW + 1_024 else []:
        if is_free(port):
            return port
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def is_free(port):
    with socket.socket() as taken:
        try:
            taken.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
