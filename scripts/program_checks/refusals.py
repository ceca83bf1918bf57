"""Commands that make no sense: each is refused, says why, and changes nothing."""
from program_checks.parts import part
from program_checks.prepared import own_stories


@part(own_stories)
def wrong_views(here):
    """Refuses views, collections and places that cannot be."""
    for wrong in (["nearby", "91", "0"], ["nearby", "1"], ["place", "here"], ["cluster", "x"], ["histogram", "--bins", "0"],
                  ["export", "--format", "xml"], ["collections", "add", "A", "--owner", "nobody"],
                  ["places", "add", "A", "1", "2", "--owner", "nobody"], ["places", "remove", "0" * 32],
                  ["places", "add", "A", "91", "2", "--owner", "archive"], ["places", "add", "A", "1", "--owner", "archive"],
                  ["places", "add", " ", "1", "2", "--owner", "archive"],
                  ["places", "add", "A", "1", "2", "--owner", "archive", "--radius", "501"],
                  ["places", "add", "A", "1", "2", "--owner", "archive", "--privacy", "everybody"]):
        here.run(*wrong, code=2)


@part(own_stories)
def wrong_options(here):
    """Refuses options, positions and names that cannot be, and a file that is no database."""
    before = here.run("stories").stdout
    here.run("stories", "--as", "nobody", code=2)
    here.run("stories", "--from", "soon", code=2)
    here.run("stories", "--bbox", "0,10,1,5", code=2)
    here.run("stories", "--colour", "red", code=2)
    for limit in (["--limit", "-1"], ["--limit=-1"], ["--limit", "0"], ["--limit", "1000001"]):
        said = here.run("stories", *limit, code=2).stderr
        here.check("--limit must be between 1 and 1000000." in said, f"the bounds of {limit}", said)
    here.run("clusters", "--bbox", "1,2,3", "--zoom", "1", code=2)
    here.run("clusters", "--bbox", "0,0,1,1", "--zoom", "-1", code=2)
    here.run("reverse", "91", "0", code=2)
    here.run("reverse", "1", code=2)
    here.run("replay", "absent.gpx", code=2)
    here.run("users", "opt-in", "nobody", code=2)
    here.run("tokens", "issue", "--user", "nobody", code=2)
    for name in ["", " ", "a\nb", "a\tb", "a\u202eb", "x" * 301]:
        for add in [["users", "add", "eve"], ["families", "add", "eve"], ["tokens", "key", "--service", "app"]]:
            said = here.run(*add, "--name", name, code=2).stderr
            here.check("--name must be one line" in said, f"waymark {' '.join(add)} refuses the name {name!a}", said)
    for command in [["users", "add"], ["users", "remove"], ["tokens", "issue", "--user"], ["families", "remove"],
                    ["collections", "remove"], ["places", "remove"], ["place"], ["cluster"], ["retained", "restore"]]:
        for blank in ("", " "):
            said = here.run(*command, blank, code=2).stderr
            here.check(said.startswith(f'"{blank}" is not '), f"waymark {' '.join(command)} refuses {blank!r}", said)
    said = here.run("users", "opt-in", "archive", "--radius", "-5", code=2).stderr
    here.check("--radius: must be between 75 and 5000" in said, "a negative radius is refused by its bounds", said)
    here.write("twice.csv", "title,lat,lon\nTwice,33,-84\n")
    for command, option in [(["import", "twice.csv", "--privacy", "private", "--privacy=public"], "--privacy"),
                            (["stories", "--as", "archive", "--as", "archive"], "--as"),
                            (["export", "--format", "csv", "-o", "a.csv", "--output", "b.csv"], "--output")]:
        said = here.run(*command, code=2).stderr
        here.check(said == f"{option} must be given only once.\n", f"waymark {' '.join(command)} refuses the second {option}", said)
    here.run("stories", "--tag", "a", "--tag", "b")
    for command in [["stories", "--q", ""], ["doctor", "--host", ""], ["suggest", ""], ["export", "--format", "csv", "-o", ""],
                    ["import", ""], ["stories", "locate", "--source", "nope"], ["stories", "locate", "--owner", "nobody"]]:
        here.run(*command, code=2)
    here.run("nonsense", code=2)
    here.write("other.db", "no database")
    here.run("stories", "--database", "other.db", code=1)
    here.check(here.run("stories").stdout == before, "bad input changes nothing")


@part()
def mistyped_commands(here):
    """Says which command, option or value may be meant."""
    for typed, meant in [(["serv"], "serve"), (["serv", "--demo"], "serve"), (["user"], "users"), (["famil"], "families"),
                         (["users", "ad", "ana"], "users add"), (["config", "shwo"], "config show"), (["DOCTOR"], "doctor"),
                         (["story"], "stories"), (["story", "--limit", "3"], "stories"), (["family"], "families"), (["version"], "--version")]:
        error = here.run(*typed, code=2).stderr
        here.check(f"There is no command 'waymark {' '.join(typed[:meant.count(' ') + 1])}'. Did you mean 'waymark {meant}'?" in error,
                   f"waymark {' '.join(typed)}", error)
    for asked, meant in [(["docter"], "doctor"), (["users", "ad"], "users add"), (["story"], "stories")]:
        done = here.run("help", *asked, code=2)
        here.check(f"Did you mean 'waymark {meant}'?" in done.stderr and not done.stdout, f"waymark help {' '.join(asked)}", done)
    here.check("waymark stories" in here.run("help", "stories").stdout, "help on a command that exists")
    error = here.run("nonsense", code=2).stderr
    here.check("There is no command 'waymark nonsense'. 'waymark --help' lists the commands." in error, "suggests nothing far away", error)
    error = here.run("serve", "--prot", "0", code=2).stderr
    here.check("Did you mean '--port'?" in error, "an option is suggested", error)
    error = here.run("geocode", "Atlanta", "--format", "jsn", code=2).stderr
    here.check("'text' and 'json'" in error, "the values of an option are listed", error)
    error = here.run("backup", "made", "twice", code=2).stderr
    here.check("There is no command" not in error, "an argument is not taken for a command", error)
    here.check(not (here / "waymark.db").exists(), "nothing is made")
    for asked in (["--help"], ["users", "add", "--help"], ["doctor", "--help"]):
        text = here.run(*asked).stdout
        here.check(text.count("Exit codes: 0 ") == 1, f"waymark {' '.join(asked)} says its exit codes", text[-300:])
    here.check("Exit codes" not in here.run("--version").stdout, "a version is a version")


@part()
def mistyped_database(here):
    """Makes no database where something is to be removed: a mistyped path must not look like an empty one."""
    for ending in [
        ["retained", "purge", "--older-than", "3"], ["areas", "clear"], ["erase", "--user", "ana", "--yes"],
        ["tokens", "revoke", "AAAAAAAA"], ["users", "remove", "ana"], ["users", "opt-out", "ana"],
        ["collections", "remove", "0" * 32], ["places", "remove", "0" * 32],
    ]:
        error = here.run(*ending, "--database", "mistyped.db", code=2).stderr
        here.check("There is no database at" in error, " ".join(ending), error)
    here.check(not (here / "mistyped.db").exists(), "no database is made by what ends something")


@part()
def wrong_origins(here):
    """Refuses to serve for origins that no browser sends."""
    for origin in ["app.example", "https://app.example/", "https://app.example/page", "HTTPS://app.example"]:
        here.run("serve", "--port", "0", "--allow-origin", origin, "--database", "mistyped.db", code=2)
