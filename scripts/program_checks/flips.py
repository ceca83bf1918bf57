"""Flips bits of a database and sees that check finds them, that nothing wrong is served, and that the rest works."""
import collections
import json
import pathlib
import random
import time
import urllib.error
import urllib.parse
import urllib.request

from program_checks.parts import part

PAGE = 4_096
PLACE = (33.7554, -84.3736)
KINDS = {13: "table leaf", 5: "table interior", 10: "index leaf", 2: "index interior"}
WORDS = "harvest church orchard railway kitchen school river market brother winter letter bakery".split()


def stories(count, seed):
    """A table of stories with texts of many lengths, so that some need pages of their own."""
    chance = random.Random(seed)
    rows = ["id,title,text,lat,lon,date,tags,people"]
    for number in range(1, count + 1):
        text = " ".join(chance.choice(WORDS) for _ in range(chance.choice([5, 40, 300, 900])))
        lat, lon = (PLACE if number == 1 else (chance.uniform(30, 45), chance.uniform(-120, -75)))
        rows.append(f"{number},Story {number},{text},{lat:.5f},{lon:.5f},{1900 + number % 100},{chance.choice(WORDS)},"
                    f"Person {number % 17}")
    return "\n".join(rows) + "\n"


def make(here):
    """`flips.db` with people, a family, stories of every level, and a notification; what its users read with."""
    database = ["--database", "flips.db"]
    here.write("public.csv", stories(220, 1))
    here.write("family.csv", stories(60, 2))
    here.write("private.csv", stories(40, 3))
    for user in ("ana", "ben", "cora"):
        here.run("users", "add", user, *database)
    here.run("families", "add", "whitfield", "--owner", "ana", *database)
    here.run("families", "join", "whitfield", "ben", *database)
    here.run("users", "opt-in", "ben", *database)
    for name, privacy, owner in (("public", "public", "ana"), ("family", "family_only", "ana"), ("private", "private", "cora")):
        here.run("import", f"{name}.csv", "--owner", owner, "--privacy", privacy, "--source", name, *database)
    keys = {user: here.run("tokens", "key", "--user", user, *database).stdout.strip() for user in ("ana", "ben", "cora")}
    phone = here.run("tokens", "key", "--user", "ben", "--device", "phone", *database).stdout.strip()
    with here.serving(*database, "--rate-limit", "0") as (address, _):
        now = int(time.time())
        for seconds in (24, 18, 12, 6):
            query = urllib.parse.urlencode(
                {"id": phone, "lat": PLACE[0], "lon": PLACE[1], "timestamp": now - seconds, "accuracy": 8})
            here.check(read(f"{address}/ingest/osmand?{query}")[0] == 200, "a position is taken")
        here.check(any(told(address, keys["ben"]) or time.sleep(0.25) for _ in range(120)), "ben is told of a story")
    return keys


def told(address, key):
    return json.loads(read(address + "/v1/notifications", key)[1])["notifications"]


def read(address, key=None):
    """Status and bytes of an answer."""
    request = urllib.request.Request(address)
    if key:
        request.add_header("Authorization", f"Bearer {key}")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def routes(ids):
    """What everybody reads: every list and map, and every story by itself."""
    common = ["/v1/stories?limit=200", "/v1/stories?q=harvest&limit=200", "/v1/clusters?bbox=-130,20,-60,50&zoom=5",
              "/v1/clusters?bbox=-130,20,-60,50&zoom=12", "/v1/nearby?lat=40&lon=-90&limit=50", "/v1/collections",
              "/v1/histogram?from=1900&to=2000", "/v1/facets", "/v1/tags", "/v1/people", "/v1/bounds", "/v1/notifications",
              "/v1/notifications/badge", "/v1/me", "/v1/families", "/v1/me/consents", "/v1/me/channels", "/v1/me/hidden",
              "/v1/me/keys", "/v1/me/labels"]
    return common + [f"/v1/stories/{name}" for name in ids]


def answers(address, keys, ids):
    """All answers to all users."""
    found = {}
    for user, key in [(None, None), *sorted(keys.items())]:
        for path in routes(ids):
            found[user, path] = read(address + path, key)
    return found


def put_back(here, files):
    """The database as it was, closed."""
    for name, content in files.items():
        (here / name).write_bytes(content)
    for ending in ("-wal", "-shm"):
        pathlib.Path(f"{here / 'flips.db'}{ending}").unlink(missing_ok=True)


def flip(database, content, pages, chance, kinds):
    """Flips one bit in each of some pages; says which."""
    names = []
    with open(database, "r+b") as file:
        for page in pages:
            place, bit = chance.randrange(PAGE), chance.randrange(8)
            kind = content[page * PAGE + (100 if page == 0 else 0)]
            kinds[KINDS.get(kind, "overflow or free")] += 1
            file.seek(page * PAGE + place)
            file.write(bytes([content[page * PAGE + place] ^ 1 << bit]))
            names.append(f"page {page + 1}, byte {place}, bit {bit}")
    return "; ".join(names[:5])


def mend(here, where):
    """Repairs the database, which keeps the original and leaves it healthy."""
    mended = here.finish("check", "--repair", "--format", "json", "--database", "flips.db")
    here.check(mended.returncode == 0 and '"repaired"' in mended.stdout, "a repair puts it right", f"{where}: {mended.stdout[-400:]}")
    kept = sorted(here.path.glob("flips.db.recovery-*"))
    here.check(bool(kept) and not kept[0].stat().st_mode & 0o077, "the original is kept for its owner alone", kept)
    for copy in kept:
        copy.unlink()
    healthy = here.finish("check", "--format", "json", "--database", "flips.db")
    here.check(healthy.returncode == 0 and '"healthy"' in healthy.stdout, "and it is healthy then", healthy.stdout[-400:])


def compare(here, count, seed, at_once=1, say=lambda words: None):
    """Flips `count` bits, `at_once` in as many pages before each check and each start, and counts what comes of it."""
    keys = make(here)
    with here.serving("--database", "flips.db", "--rate-limit", "0") as (address, _):
        ids = [feature["id"] for feature in json.loads(read(address + "/v1/stories?limit=200", keys["ana"])[1])["features"]][::8]
        ids += [feature["id"] for feature in json.loads(read(address + "/v1/stories?limit=50", keys["cora"])[1])["features"]][::10]
        expected = answers(address, keys, ids)
        again = answers(address, keys, ids)
    # What differs without any flip, such as an expiry, is not compared.
    stable = [case for case in expected if expected[case] == again[case] and expected[case][0] == 200]
    here.check(len(stable) > 40, "most answers can be compared", len(stable))
    files = {name: (here / name).read_bytes() for name in ("flips.db", "flips.db.sums")}
    pages = len(files["flips.db"]) // PAGE
    here.check(len(files["flips.db.sums"]) >= PAGE + 8 * pages, "every page has a sum", (pages, len(files["flips.db.sums"])))
    used = [page for page in range(pages) if any(files["flips.db"][page * PAGE:(page + 1) * PAGE])]
    chance, totals, kinds = random.Random(seed), collections.Counter(), collections.Counter()
    for begun in range(0, count, at_once):
        size = min(at_once, count - begun)
        put_back(here, files)
        where = flip(here / "flips.db", files["flips.db"], chance.sample(used, size), chance, kinds)
        done = here.finish("check", "--format", "json", "--database", "flips.db")
        found = json.loads(done.stdout)["figures"].get("flipped_pages", 0) if done.returncode == 1 else 0
        totals["found by check"] += found
        here.check(found == size, "check finds every flipped bit", f"{where}: {found}, {done.returncode} {done.stdout[-300:]} {done.stderr[-300:]}")
        try:
            with here.serving("--database", "flips.db", "--rate-limit", "0") as (address, _):
                totals["started with"] += size
                got = answers(address, keys, ids)
        except RuntimeError:
            here.check(False, "the service starts", where)
            continue
        wrong = [case for case in stable if got[case][0] == 200 and got[case] != expected[case]]
        totals["answers"] += len(stable)
        totals["answers served wrong"] += len(wrong)
        totals["answers refused"] += sum(got[case][0] != 200 for case in stable)
        here.check(not wrong, "nothing wrong is served", f"{where}: {wrong[:3]}")
        if begun < 3 * at_once:
            mend(here, where)
        say(f"{begun + size} of {count}: {dict(totals)}")
    return pages, totals, kinds


@part()
def flips(here):
    """Finds, corrects and repairs flipped bits: twenty of them, four at a time."""
    _, totals, _ = compare(here, 20, 21, at_once=4)
    here.check(totals["started with"] == 20, "the service starts with every flip", dict(totals))
    here.check(totals["answers refused"] == 0, "and refuses nothing", dict(totals))


@part()
def checking(here):
    """Says in words, codes and numbers how a database is."""
    done = here.finish("check", "--database", "none.db")
    here.check(done.returncode == 2 and "no database" in done.stderr, "no database, no check", done.stderr)
    here.write("own.csv", stories(30, 4))
    here.run("import", "own.csv")
    done = here.run("check", "--format", "text")
    here.check("healthy" in done.stdout and "30 stories" in done.stdout, "a sound database is healthy", done.stdout)
    database = here / "waymark.db"
    whole = database.read_bytes()
    place = whole.index(b"Story 17")
    database.write_bytes(whole[:place] + b"Wrong one"[:8] + whole[place + 8:])
    report = json.loads(here.run("check", "--format", "json", code=1).stdout)
    codes = [finding["code"] for finding in report["findings"]]
    here.check(report["outcome"] == "attention" and "page-damaged" in codes, "other content is damage", report)
    named = [name for finding in report["findings"] for name in finding["stories"]]
    here.check(0 < len(named) < 30, "the stories concerned are named", report)
    with here.serving() as (address, _):
        listed = json.loads(read(address + "/v1/stories?limit=100")[1])
        here.check(listed["numberMatched"] == 30 - len(named), "the rest is served", (listed["numberMatched"], named))
        status, body = read(f"{address}/v1/stories/{named[0]}")
        here.check(status in (404, 503) and b"Wrong" not in body, "a damaged story is not", (status, body))
        status, body = read(address + "/readyz")
        here.check(status == 503 and b"database-damaged" in body, "the service says that it is not whole", (status, body))
    here.run("check", "--repair", code=1)
    # The words for search still follow from what was there before.
    accepted = json.loads(here.run("check", "--accept", code=1).stdout)
    here.check([finding["code"] for finding in accepted["findings"]] == ["stories-derived"], "the file is accepted", accepted)
    here.run("check", "--repair")
    here.check("Wrong on" in here.run("stories", "--limit", "100").stdout, "a file that is accepted is used as it is")
