"""What must go and stay gone: erasures in an older copy, and what is kept of deleted stories."""
import json
import subprocess

from program_checks.folder import get
from program_checks.parts import part
from program_checks.prepared import OWN_STORIES, own_stories


@part()
def older_copy(here):
    """Erases again in a copy from before an erasure, whatever writes to it first."""
    database = ["--database", "copy.db"]
    copy = here / "copy.db"
    here.write("own.csv", OWN_STORIES)
    for user in ("ana", "ben"):
        here.run("users", "add", user, *database)
    here.run("import", "own.csv", "--owner", "ana", *database)
    # A command closes the database whole: the file alone is a copy of it.
    before = copy.read_bytes()
    error = here.run("erase", "--user", "ana", *database, code=2).stderr
    here.check("Nothing was erased" in error and "--yes" in error, "erase asks for the name first", error)
    here.check('"ana"' in here.run("users", "list", *database).stdout, "nothing is erased without the name")
    here.run("erase", "--user", "ana", "--yes", *database)
    here.write("area.geojson", json.dumps({"type": "FeatureCollection", "features": [{
        "type": "Feature", "properties": {"name": "x", "precision": "hidden"},
        "geometry": {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}}]}))
    writing = [
        ["import", "own.csv", "--owner", "ben"], ["users", "add", "cora"], ["users", "opt-in", "ben"],
        ["families", "add", "whitfield", "--owner", "ben"], ["tokens", "key", "--user", "ben"],
        ["tokens", "issue", "--user", "ben", "--refresh"], ["areas", "load", "area.geojson"],
        ["retained", "purge", "--older-than", "0", "--yes"], ["erase", "--user", "ben", "--yes"],
    ]
    for command in writing:
        for ending in ("-wal", "-shm"):
            (here / f"copy.db{ending}").unlink(missing_ok=True)
        copy.write_bytes(before)
        error = here.run("users", "list", *database, code=1).stderr
        here.check("erasures.log" in error, "an older copy is not read before it was erased again", error)
        here.run(*command, *database)
        shown = " ".join(command)
        here.check('"ana"' not in here.run("users", "list", *database).stdout, f"waymark {shown} erases first")
        here.check(here.json("stories", "--owner", "ana", *database)["numberMatched"] == 0, f"waymark {shown}")
        here.check(b"North east" not in copy.read_bytes() or "own.csv" in command, f"waymark {shown} overwrites what it erased")


@part()
def lost_list(here):
    """Refuses a database whose list of erasures is lost, or serves it with everything withheld until it is released."""
    database = ["--database", "lost.db"]
    here.write("own.csv", OWN_STORIES)
    here.run("users", "add", "ana", *database)
    here.run("import", "own.csv", "--owner", "ana", *database)
    count = here.json("stories", *database)["numberMatched"]
    here.check(count > 0, "the stories are public", count)
    (here / "lost.db.keys" / "erasures.log").unlink()
    for command in (["serve", "--port", "0"], ["import", "own.csv", "--owner", "ana"]):
        error = here.run(*command, *database, code=1).stderr
        here.check("put the list back" in error and "--after-old-copy private" in error, "both ways are named", error)
    with here.serving("--after-old-copy", "private", *database) as (address, _):
        here.check(get(address + "/v1/stories")["numberMatched"] == 0, "nothing is served wider meanwhile")
    with here.serving(*database) as (address, _):
        here.check(get(address + "/v1/stories")["numberMatched"] == 0, "and nothing after the next start")
    here.check(here.json("stories", "--owner", "ana", "--as", "ana", *database)["numberMatched"] == count, "nothing is lost")


@part(own_stories)
def retained(here):
    """Removes what is kept of deleted stories when somebody says from when on."""
    error = here.run("retained", "purge", code=2).stderr
    here.check("--older-than" in error, "purging needs a date to start from", error)
    here.run("retained", "purge", "--older-than", "-1", code=2)
    error = here.run("retained", "purge", "--older-than", "365", code=2).stderr
    here.check("Type purge to continue" in error and "Nothing was erased" in error, "purging asks first", error)
    here.run("retained", "purge", "--older-than", "365", "--yes")
    here.run("users", "add", "dora")
    error = here.run("users", "remove", "dora", code=2).stderr
    here.check("Type dora to continue" in error and "--yes" in error, "removing a user asks first", error)
    typed = subprocess.run([here.program, "users", "remove", "dora"], cwd=here.path, input="dora\n", text=True, capture_output=True)
    here.check(typed.returncode == 0 and '"dora"' not in here.run("users", "list").stdout, "and goes on when the name is typed", typed.stderr)
