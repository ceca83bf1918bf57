"""Live streams of feeds, with as little work for each as possible: ten thousand of them must not be what is measured."""
import asyncio
import json


class Stream(asyncio.Protocol):
    """One stream: asks, takes the chunks apart, and passes events on."""

    def __init__(self, head, heard):
        self.head, self.heard = head, heard
        self.raw, self.text, self.status, self.last = b"", b"", None, None
        self.ended = asyncio.get_running_loop().create_future()

    def connection_made(self, transport):
        self.transport = transport
        transport.write(self.head)

    def connection_lost(self, error):
        if not self.ended.done():
            self.ended.set_result(self.status)

    def data_received(self, data):
        self.raw += data
        if self.status is None:
            head, found, rest = self.raw.partition(b"\r\n\r\n")
            if not found:
                return
            self.status, self.raw = int(head.split(None, 2)[1]), rest
            if self.status != 200:
                self.transport.close()
                return
        while True:
            size, found, rest = self.raw.partition(b"\r\n")
            if not found:
                break
            length = int(size, 16)
            if len(rest) < length + 2:
                break
            self.text, self.raw = self.text + rest[:length], rest[length + 2:]
            if length == 0:
                self.transport.close()
                return
        *events, self.text = self.text.split(b"\n\n")
        for event in events:
            self.read(event)

    def read(self, event):
        fields = dict(line.split(b": ", 1) for line in event.split(b"\n") if b": " in line and not line.startswith(b":"))
        self.last = fields.get(b"id", self.last)
        if fields.get(b"event") == b"notification":
            self.heard(json.loads(fields[b"data"])["id"])


async def listen(load, person):
    """Keeps a stream open, and comes back with what it heard last."""
    last, user = None, f"u{person}"
    while not load.over:
        head = f"GET /v1/notifications/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {load.key}\r\nWaymark-User: {user}\r\n"
        if last:
            head += f"Last-Event-ID: {last.decode()}\r\n"
        try:
            transport, stream = await asyncio.get_running_loop().create_connection(
                lambda: Stream((head + "\r\n").encode(), lambda notice: load.hear(user, notice)), "127.0.0.1", load.port)
        except OSError as error:
            load.codes["stream", type(error).__name__] += 1
            await asyncio.sleep(.5)
            continue
        try:
            load.opened += 1
            status = await stream.ended
            last = stream.last
            if not load.over:
                load.ends += 1
                if status != 200:
                    load.codes["stream", status] += 1
                await asyncio.sleep(.2)
        finally:
            transport.close()
