"""Keys and tokens made on the command line, and what a running service makes of them."""
import json
import urllib.request

from program_checks.folder import status_of
from program_checks.parts import part


@part()
def accounts(here):
    """Makes, lists and revokes keys and tokens, and uses them with a running service."""
    database = ["--database", "accounts.db"]
    here.run("users", "add", "ana", *database)
    keys = [here.run("tokens", "key", *more, *database).stdout.strip()
            for more in (["--user", "ana"], ["--user", "ana", "--device", "phone"], ["--service", "app"])]
    listed = here.json("tokens", "keys", *database)
    here.check([key["kind"] for key in listed] == ["user", "device", "service"], "the keys are listed", listed)
    here.check(not any(key in json.dumps(listed) for key in keys), "no secret is listed")
    here.check(len(here.json("tokens", "keys", "--user", "ana", *database)) == 2, "the keys of one user")
    gone = here.run("tokens", "key", "--user", "ana", "--days", "1", "--scopes", "stories:read", *database).stdout.strip()
    here.run("tokens", "revoke", gone.split("_")[2], *database)
    here.run("tokens", "revoke", gone.split("_")[2], *database, code=2)
    pair = here.json("tokens", "issue", "--user", "ana", "--refresh", *database)
    narrow = here.run("tokens", "issue", "--user", "ana", "--scopes", "stories:read", *database).stdout.strip()
    with here.serving(*database) as (address, _):
        def status(path, token, **headers):
            return status_of(address + path, {"Authorization": f"Bearer {token}", **headers})
        here.check(status("/v1/me", keys[0]) == 200, "a user's key is good")
        here.check([status("/v1/me", key) for key in (keys[1], gone, narrow)] == [403, 401, 200], "keys are good for what they say")
        here.check(status("/v1/me", keys[2]) == 400, "a service must say for whom it asks")
        here.check(status("/v1/me", keys[2], **{"Waymark-User": "ana"}) == 200, "a service acts for a user")
        here.check(status("/v1/me", keys[0], **{"Waymark-User": "ana"}) == 403, "a user acts for nobody")
        body = json.dumps({"refresh_token": pair["refresh_token"]}).encode()
        request = urllib.request.Request(address + "/v1/tokens/refresh", data=body, method="POST")
        with urllib.request.urlopen(request) as answer:
            second = json.load(answer)
        here.check(second["refresh_token"] != pair["refresh_token"] and status("/v1/me", second["access_token"]) == 200,
                   "a refresh token is exchanged for the next pair")
        made = here.run("tokens", "key", "--user", "ana", *database).stdout.strip()
        here.check(status("/v1/me", made) == 200, "a key that is made beside the service is good at once")


@part()
def wrong_keys(here):
    """Refuses keys and tokens that would be good for nothing or for too much."""
    database = ["--database", "accounts.db"]
    here.run("users", "add", "ana", *database)
    for bad in (["issue", "--user", "ana", "--scopes", "all"], ["issue", "--user", "ana", "--scopes", "act-as"],
                ["issue", "--user", "ana", "--refresh", "--hours", "2"], ["key"], ["key", "--user", "nobody"],
                ["key", "--user", "ana", "--service", "app"], ["key", "--service", "app", "--device", "phone"],
                ["key", "--user", "ana", "--days", "0"], ["key", "--user", "ana", "--scopes", "act-as"]):
        here.run("tokens", *bad, *database, code=2)
