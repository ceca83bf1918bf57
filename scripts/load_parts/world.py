"""The first database of a load, made once: places on roads, stories all over a country, people who opted in."""
import concurrent.futures
import http.client
import random
import subprocess
import sys

from load_parts.service import Service

SPEED, METRE = 11, 1 / 111_195
SCOPES = (
    "act-as,stories:read,stories:write,fixes:write,notifications:read,notifications:manage,account:manage,geocode:read"
)


def run(program, database, *words):
    done = subprocess.run(
        [program, *words, "--database", str(database)], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        sys.exit(f"{' '.join(words[:2])} failed: {done.stderr[-500:]}")
    return done.stdout


def rows(path, lines):
    with open(path, "w") as file:
        file.write("id,title,text,lat,lon\n")
        file.writelines(lines)
    return str(path)


def latitude(options, person):
    """People share a road; all roads of a world lie apart from each other."""
    return 10 + .02 * (person % options.roads)


def phase(options, person):
    """How many metres a person is ahead of the start of the road, so that not all pass a place at once."""
    return person // options.roads * options.roads / options.people * options.apart


def places(options):
    """So many that nobody reaches the end of the road."""
    return int((options.minutes + options.warm_up + 3) * 60 * SPEED / options.apart) + 3


def make(options, folder):
    rnd = random.Random(3)
    base = folder / "base.db"
    roads = (
        f"p{road}-{place},Place {road} {place},,{10 + .02 * road:.6f},{20 + options.apart * METRE * (place + 1):.6f}\n"
        for road in range(options.roads) for place in range(places(options))
    )
    run(options.program, base, "import", rows(folder / "roads.csv", roads), "--quiet")
    spread = (
        f"s{n},Story {n},,{25 + rnd.random() * 24:.6f},{-124 + rnd.random() * 57:.6f}\n"
        for n in range(options.stories - options.stories // 2)
    )
    run(options.program, base, "import", rows(folder / "spread.csv", spread), "--quiet")
    for big in range(4):
        run(options.program, base, "users", "add", f"big{big}")
        long = (
            f"b{big}-{n},Big {n},{rnd.randbytes(400).hex()},{-20 - rnd.random():.6f},{20 + rnd.random():.6f}\n"
            for n in range(options.stories // 8)
        )
        words = (rows(folder / "long.csv", long), "--quiet", "--owner", f"big{big}", "--privacy", "private")
        run(options.program, base, "import", *words)
    key = run(options.program, base, "tokens", "key", "--service", "load", "--scopes", SCOPES).split()[0]
    (folder / "key").write_text(key)
    service = Service(options.program, base)
    try:
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda first: opt_in(service.port, key, range(first, options.people, 8)), range(8)))
    finally:
        service.stop()
    (folder / "made").write_text(shape(options))


def shape(options):
    """What a world is made for; another load needs another."""
    return f"{options.people} people, {places(options)} places {options.apart} m apart, {options.stories} stories"


def opt_in(port, key, people):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    for person in people:
        headers = {"Authorization": "Bearer " + key, "Waymark-User": f"u{person}", "Content-Type": "application/json"}
        connection.request("PUT", "/v1/me/notification-settings", b'{"enabled":true}', headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status >= 300:
            sys.exit(f"opting in answers {answer.status}")
    connection.close()


def make_churn(options, database, folder):
    """Adds the accounts that will be erased to a copy of the world; returns a key that may erase, export and look."""
    for number in range(erased_accounts(options)):
        run(options.program, database, "users", "add", f"gone{number}")
        rnd = random.Random(number)
        lines = (
            f"g{number}-{n},Going,{rnd.randbytes(400).hex()},{25 + rnd.random() * 24:.6f},{-124 + rnd.random() * 57:.6f}\n"
            for n in range(options.erased_stories)
        )
        privacy = ("public", "private")[number % 2]
        words = (rows(folder / "going.csv", lines), "--quiet", "--owner", f"gone{number}", "--privacy", privacy)
        run(options.program, database, "import", *words)
    words = ("tokens", "key", "--service", "churn", "--scopes", "act-as,export:self,delete:self,admin:ops")
    return run(options.program, database, *words).split()[0]


def erased_accounts(options):
    return int(options.minutes * options.erasures_per_minute) if options.erasures_per_minute else 0
