"""What goes on beside the load: slow exports, erasures, copies of the database, a backup, and how large the log becomes."""
import asyncio
import collections
import pathlib
import socket
import subprocess
import sys
import time

from load_parts.world import erased_accounts


def can_back_up(program):
    """Whether this program makes backups."""
    done = subprocess.run([program, "backup", "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.returncode == 0 and "waymark backup" in done.stdout


class Churn:
    """What goes on beside the load: slow exports, erasures, copies of the database, and how large the log becomes."""

    def __init__(self, options, service, key):
        self.options, self.service, self.key, self.over = options, service, key, False
        self.log, self.counts, self.erasures, self.copied, self.backup = 0, collections.Counter(), [], [], None

    def begin(self):
        tasks = [self.watch()] + [self.export(number) for number in range(min(4, self.options.exports))]
        if not self.options.no_backup and can_back_up(self.options.program):
            tasks.append(self.back_up())
        if self.options.erasures_per_minute:
            tasks.append(self.erase())
        if self.options.copies:
            tasks.append(self.copy())
        return [asyncio.create_task(task) for task in tasks]

    async def watch(self):
        while True:
            self.log = max(self.log, self.service.log_size())
            await asyncio.sleep(0.2)

    async def connect(self, method, path, user, number=0):
        """A connection with small buffers, so that what is not read is the service's to keep, from an address of its own."""
        link = socket.socket()
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8_192)
        link.bind((f"127.0.0.{number + 1}", 0))
        link.setblocking(False)
        await asyncio.get_running_loop().sock_connect(link, ("127.0.0.1", self.service.port))
        reader, writer = await asyncio.open_connection(sock=link, limit=8_192)
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.key}\r\n"
        writer.write((head + f"Waymark-User: {user}\r\nConnection: close\r\n\r\n").encode())
        return reader, writer, (await reader.readline()).split()[1].decode()

    async def export(self, number):
        piece = int(self.options.export_rate * 1024 / 4)
        while not self.over:
            reader, writer, status = await self.connect("GET", "/v1/me/export", f"big{number}", number)
            read = 0
            while data := await reader.read(piece):
                read += len(data)
                await asyncio.sleep(len(data) / piece / 4)
            self.counts["export", status] += 1
            self.counts["exported KB"] += read // 1024
            writer.close()

    async def erase(self):
        start = time.monotonic()
        for number in range(erased_accounts(self.options)):
            await asyncio.sleep(max(0, start + (number + 0.5) * 60 / self.options.erasures_per_minute - time.monotonic()))
            begun = time.monotonic()
            reader, writer, status = await self.connect("DELETE", "/v1/me", f"gone{number}")
            await reader.read()
            writer.close()
            self.counts["erasure", status] += 1
            self.erasures.append(time.monotonic() - begun)

    async def back_up(self):
        """Half-way through, as an operator does it: with the command, into a file beside."""
        await asyncio.sleep((self.options.warm_up + self.options.minutes / 2) * 60)
        folder = self.service.database.parent / "backup"
        folder.mkdir()
        (folder / "passphrase").write_text("correct horse battery staple\n")
        (folder / "passphrase").chmod(0o600)
        words = ["backup", folder, "--passphrase-file", folder / "passphrase", "--database", self.service.database, "--quiet"]
        begun = time.monotonic()
        task = await asyncio.create_subprocess_exec(
            self.options.program, *map(str, words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = (await task.communicate())[0].decode(errors="replace")
        made = sum(path.stat().st_size for path in folder.iterdir()) / 2**20
        self.backup = {"code": task.returncode, "seconds": time.monotonic() - begun, "MB": made, "said": said[-300:]}

    async def copy(self):
        """As the program sqlite3 does it: the whole in one step, which is one transaction of a reader.

        It runs at ordinary priority even if this program was given a real-time one: a slice of that lasts 100 ms.
        """
        words = (
            "import os, sqlite3, sys; os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0)); "
            "f, t = map(sqlite3.connect, sys.argv[1:]); f.backup(t)"
        )
        target = str(self.service.database) + ".copy"
        while not self.over:
            begun = time.monotonic()
            task = await asyncio.create_subprocess_exec(sys.executable, "-c", words, self.service.database, target)
            self.counts["copy", await task.wait()] += 1
            self.copied.append(time.monotonic() - begun)
            pathlib.Path(target).unlink(missing_ok=True)
            await asyncio.sleep(5)

    async def metrics(self):
        reader, writer, _ = await self.connect("GET", "/metrics", "u0")
        text = (await reader.read()).decode(errors="replace")
        writer.close()
        return [line for line in text.splitlines() if line.startswith(("waymark_writer", "waymark_log"))]

    async def end(self, tasks):
        self.over = True
        if self.options.churns:
            for line in await self.metrics():
                print(line)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        print(f"beside it: {dict(self.counts)}; most of the log {self.log:.1f} MB")
        if self.backup:
            print(f"a backup: ended with {self.backup['code']} after {self.backup['seconds']:.1f} s, {self.backup['MB']:.0f} MB")
        for name, times in (("erasures", self.erasures), ("copies", self.copied)):
            if times:
                print(f"{name}: {len(times)}, median {sorted(times)[len(times) // 2]:.1f} s, longest {max(times):.1f} s")

    def missed(self):
        if self.log > self.options.log:
            yield f"the log grew to {self.log:.0f} MB, not {self.options.log:.0f}"
        if self.backup and self.backup["code"] != 0:
            yield f"the backup ended with {self.backup['code']}: {self.backup['said']}"
        if bad := {key: count for key, count in self.counts.items() if key[0] in ("export", "erasure") and key[1] != "200"}:
            yield f"refused: {bad}"
        if len(self.erasures) < erased_accounts(self.options):
            yield f"{len(self.erasures)} erasures ended, not {erased_accounts(self.options)}"
