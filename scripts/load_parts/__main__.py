"""Open loop: people listen to their feeds, move, look at the map, ask the geocoder and write, at fixed rates.

They drive past a place of their own every five minutes, so that feeds grow all the time while the work stays the same. A
request counts from when it was due, so that a service that stalls cannot hide it. Half-way through the operator makes a
backup. Prints for each minute the requests, the 99th percentiles, the processor's time for a thousand requests, resident
memory, the log and the descriptors; at the end whether every minute kept the limits, and by how much memory grew.

With --exports, --erasures-per-minute or --copies people take exports out slowly, accounts of thousands of stories are erased
and another program copies the database meanwhile.

Each line ends with what the machine itself took: how late this program was to send, and how long the disk took to make one
page of another file durable, also as 99th percentiles. No answer can be faster than that.
"""
import asyncio
import pathlib
import shutil
import signal
import sys
import tempfile
import threading
import time

import aiohttp
import uvloop

from load_parts import options as choices
from load_parts import report, world
from load_parts.beside import Churn
from load_parts.people import Load
from load_parts.service import Service, allow_descriptors
from load_parts.streams import listen


# How many connections carry the requests, besides the streams.
CONNECTIONS = 300


async def open_all(session, address):
    """Opens every connection of the pool: one that a slow second opens later would count as memory that grows."""
    async def touch():
        async with session.get(address + "/healthz") as response:
            await response.read()

    await asyncio.gather(*(touch() for _ in range(CONNECTIONS)))


async def drive(options, service, key, churn_key):
    load, churn, minutes, samples = Load(options, service, key), Churn(options, service, churn_key), [], []
    limit = aiohttp.ClientTimeout(total=30)
    pool = aiohttp.TCPConnector(limit=CONNECTIONS, keepalive_timeout=600)
    async with aiohttp.ClientSession(connector=pool, timeout=limit) as session:
        live = []
        for person in range(options.streams):
            live.append(asyncio.create_task(listen(load, person)))
            if person % 20 == 19:
                await asyncio.sleep(.02)
        await asyncio.sleep(3)
        print(f"{load.opened} streams are open", flush=True)
        await open_all(session, load.url)
        load.start, load.epoch = time.monotonic() + options.warm_up * 60, time.time()
        threading.Thread(target=load.flush, args=[service.database.parent], daemon=True).start()

        async def watch():
            while True:
                samples.append(((time.monotonic() - load.start) / 60, service.sample()))
                await asyncio.sleep(5)

        async def tell():
            await asyncio.sleep(max(0, load.start - time.monotonic()))
            before = service.sample()
            for minute in range(int(options.minutes)):
                await asyncio.sleep(max(0, load.start + (minute + 1) * 60 - time.monotonic()))
                after = service.sample()
                minutes.append(report.minute(minute, load, before, after))
                before = after

        rates = ((options.positions, load.position), (options.reads, load.read), (options.geocodes, load.geocode),
                 (options.writes, load.write))
        watching, beside = asyncio.create_task(watch()), churn.begin()
        await asyncio.gather(tell(), *(load.pace(session, rate, make) for rate, make in rates))
        await asyncio.sleep(2)
        load.over = True
        await churn.end(beside)
        for task in [watching, *live]:
            task.cancel()
        await asyncio.gather(watching, *live, return_exceptions=True)
    await asyncio.sleep(min(30, options.minutes * 5))
    after = service.sample()
    print(f"after everybody left: rss {after['rss']:.0f} MB (anonymous {after['anon']:.0f}), {after['fds']} descriptors")
    return report.Run(options, load, churn, minutes, samples, after)


def main():
    options = choices.read(__doc__)
    # Leaves no service behind when it is ended from outside.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    most = allow_descriptors()
    if most < options.streams + 1_000:
        sys.exit(f"this system allows {most} open files, too few for {options.streams} streams (ulimit -n)")
    with tempfile.TemporaryDirectory(prefix="load-") as own:
        first = options.world or pathlib.Path(own) / "world"
        first.mkdir(parents=True, exist_ok=True)
        made = first / "made"
        if made.exists() and made.read_text() != world.shape(options):
            sys.exit(f"the world in {first} was made for {made.read_text()}, not {world.shape(options)}")
        if not made.exists():
            world.make(options, first)
            print("the world is made", flush=True)
        database = pathlib.Path(own) / "load.db"
        # Everything that lies beside it belongs to it, such as keys and lists of what was erased or withdrawn.
        for path in first.glob("base.db*"):
            end = path.name.removeprefix("base.db")
            if path.is_dir():
                shutil.copytree(path, str(database) + end)
            elif path.is_file() and end not in ("-shm", ".lock", ".log"):
                shutil.copy2(path, str(database) + end)
        churn_key = world.make_churn(options, database, pathlib.Path(own)) if options.churns else None
        service = Service(options.program, database, options.streams + 1_000)
        try:
            run = asyncio.run(drive(options, service, (first / "key").read_text(), churn_key))
        finally:
            service.stop()
        missed = run.missed()
        text = "\n".join([*run.lines(), *(missed or ["every limit is kept"])])
        print(text)
        if options.report:
            run.write(options.report, text)
        sys.exit(1 if missed else 0)


uvloop.install()
main()
