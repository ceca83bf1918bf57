"""What people send, and how long each answer took, by the minute in which it was due."""
import asyncio
import collections
import json
import os
import pathlib
import random
import time

import aiohttp

from load_parts.world import METRE, SPEED, latitude, phase

WORDS = ("Springfield", "Paris, TX", "Main St, Boston", "San Jos", "Lake Tahoe", "Portlnad", "30303", "41.88, -87.63", "Monterrey", "Atlanta GA")


class Load:
    def __init__(self, options, service, key):
        self.options, self.port, self.key = options, service.port, key
        self.url = f"http://127.0.0.1:{service.port}"
        self.headers = {"Authorization": "Bearer " + key}
        self.rnd, self.start, self.epoch = random.Random(1), 0, 0
        self.took = collections.defaultdict(lambda: collections.defaultdict(list))
        self.codes, self.told, self.stories = collections.Counter(), collections.Counter(), []
        self.late, self.flushes = collections.defaultdict(list), collections.defaultdict(list)
        # When the position that caused a notification was due, and when the notification was heard.
        self.caused, self.heard = {}, {}
        self.over, self.opened, self.ends = False, 0, 0

    def minute(self, instant):
        """Before 0 is the time of warming up."""
        return int((instant - self.start) // 60)

    def hear(self, user, notice):
        self.told[user, notice] += 1
        self.match(notice, self.caused, self.heard, time.monotonic())

    def match(self, notice, others, own, instant):
        """Puts the two ends of a notification together, whichever comes first."""
        other = others.pop(notice, None)
        if other is None:
            own[notice] = instant
            return
        due, heard = (other, instant) if own is self.heard else (instant, other)
        self.took[self.minute(due)]["stream"].append(heard - due)

    async def ask(self, session, kind, due, method, path, body=None, user="u0"):
        answer = None
        try:
            headers = {**self.headers, "Waymark-User": user}
            async with session.request(method, self.url + path, json=body, headers=headers) as response:
                data = await response.read()
                self.codes[kind, response.status] += 1
                if response.status < 300 and data and kind in ("write", "position"):
                    answer = json.loads(data)
        except (aiohttp.ClientError, asyncio.TimeoutError) as error:
            self.codes[kind, type(error).__name__] += 1
        self.took[self.minute(due)][kind].append(time.monotonic() - due)
        return answer

    async def position(self, session, n, due):
        person, now = n % self.options.people, time.time()
        # What a phone gathered since its last report.
        step = self.options.people / self.options.positions / 3
        ahead = phase(self.options, person)
        fixes = []
        for at in (now - 2 * step, now - step, now):
            stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + f".{int(at % 1 * 1000):03}Z"
            longitude = 20 + ((at - self.epoch) * SPEED + ahead) * METRE
            fixes.append({"t": stamp, "lat": latitude(self.options, person), "lon": longitude, "acc": 8})
        answer = await self.ask(session, "position", due, "POST", "/v1/fixes", {"device": "d", "fixes": fixes}, f"u{person}")
        if answer and person < self.options.streams:
            for notice in answer["notifications"]:
                self.match(notice, self.heard, self.caused, due)

    async def read(self, session, n, due):
        rnd = self.rnd
        zoom, lat, lon = rnd.choice((3, 5, 7, 9, 11, 13)), 25 + rnd.random() * 24, -124 + rnd.random() * 57
        side = 180 / 2**zoom
        south, north = max(-85, lat - side / 2), min(85, lat + side / 2)
        path = rnd.choice((
            f"/v1/clusters?bbox={lon - side:.3f},{south:.3f},{lon + side:.3f},{north:.3f}&zoom={zoom}",
            f"/v1/tiles/{zoom}/{int((lon + 180) / 360 * 2**zoom)}/{int(2**zoom * .38)}.mvt",
            f"/v1/stories?bbox={lon - .5:.3f},{lat - .5:.3f},{lon + .5:.3f},{lat + .5:.3f}&limit=20",
        ))
        await self.ask(session, "map", due, "GET", path, user=f"u{rnd.randrange(self.options.people)}")

    async def geocode(self, session, n, due):
        rnd = self.rnd
        text = rnd.choice(WORDS).replace(" ", "%20").replace(",", "%2C")
        where = f"lat={25 + rnd.random() * 24:.4f}&lon={-124 + rnd.random() * 57:.4f}"
        path = rnd.choice((f"/v1/geocode?q={text}", f"/v1/suggest?q={text}", f"/v1/reverse?{where}"))
        await self.ask(session, "geocoder", due, "GET", path, user=f"u{rnd.randrange(self.options.people)}")

    async def write(self, session, n, due):
        rnd, chance = self.rnd, self.rnd.random()
        # As many stories go as come, once there are those of a minute: a collection that grew by a sixth in half an hour
        # would rightly take more memory, and hide what does not go.
        if len(self.stories) < self.options.writes * 60 or chance < .4:
            place = {"lat": 25 + rnd.random() * 24, "lon": -124 + rnd.random() * 57}
            body = {"kind": "photo", "title": f"new {n}", "text": "w " * 300, "location": place}
            user = f"u{n % self.options.people}"
            made = await self.ask(session, "write", due, "POST", "/v1/stories", body, user)
            if made:
                self.stories.append((made["id"], user))
        elif chance < .5:
            story, user = rnd.choice(self.stories)
            await self.ask(session, "write", due, "PATCH", "/v1/stories/" + story, {"title": f"changed {n}"}, user)
        elif chance < .9:
            story, user = self.stories.pop(rnd.randrange(len(self.stories)))
            await self.ask(session, "write", due, "DELETE", "/v1/stories/" + story, user=user)
        else:
            body = {"preview": rnd.choice(("full", "count"))}
            path = "/v1/me/notification-settings"
            await self.ask(session, "write", due, "PUT", path, body, f"u{rnd.randrange(self.options.people)}")

    async def pace(self, session, rate, make):
        """Sends at a rate from the warming up to the end, whatever becomes of what was sent before."""
        n, tasks, begin = 0, set(), self.start - self.options.warm_up * 60
        end = self.start + self.options.minutes * 60
        while rate > 0 and (due := begin + n / rate) < end:
            if (wait := due - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            self.late[self.minute(due)].append(time.monotonic() - due)
            task = asyncio.create_task(make(session, n, due))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
            n += 1
        await asyncio.gather(*tasks)

    def flush(self, folder):
        """Makes a page of a file of its own durable ten times a second, in a thread: what the disk alone takes."""
        with open(pathlib.Path(folder) / "flush", "wb") as file:
            file.write(bytes(1 << 20))
            os.fsync(file.fileno())
            page = 0
            while not self.over:
                begun = time.monotonic()
                os.pwrite(file.fileno(), os.urandom(4096), page % 256 * 4096)
                os.fdatasync(file.fileno())
                took, page = time.monotonic() - begun, page + 1
                self.flushes[self.minute(begun)].append(took)
                time.sleep(max(0, 0.1 - took))
