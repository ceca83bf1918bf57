"""A broker of messages (MQTT) beside a running service: positions in, notifications out, and what Home Assistant sees."""

import contextlib
import json
import os
import shutil
import subprocess
import time

from free_port import free_port
from program_checks.devices import PLACE, ask
from program_checks.parts import LeftOut, part
from program_checks.prepared import walker

PATH = os.environ.get("PATH", "") + ":/usr/sbin"


def tool(name):
    found = shutil.which(name, path=PATH)
    if found is None:
        raise LeftOut(f"{name} is not installed")
    return found


@contextlib.contextmanager
def running(here, port):
    """mosquitto on a port of this machine; only with a name and a password."""
    here.write("passwords", "")
    subprocess.run([tool("mosquitto_passwd"), "-b", str(here / "passwords"), "waymark", "secret"], check=True, capture_output=True)
    here.write("broker.conf", f"listener {port} 127.0.0.1\npassword_file {here / 'passwords'}\nuser root\nlog_dest none\n")
    broker = subprocess.Popen([tool("mosquitto"), "-c", str(here / "broker.conf")], stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        broker.terminate()
        broker.wait(timeout=30)


def at(port, program, *arguments):
    """Runs a program of mosquitto's for the command line; returns what it wrote."""
    command = [tool(program), "-h", "127.0.0.1", "-p", str(port), "-u", "waymark", "-P", "secret", "-q", "1", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout


@part(walker)
def broker(here):
    """Takes positions from a broker (MQTT), publishes notifications there, and shows Home Assistant the channel."""
    tool("mosquitto")
    port, database = free_port(), ["--database", "walker.db"]
    here.write("password.txt", "secret\n")
    options = ["--mqtt", f"mqtt://127.0.0.1:{port}", "--mqtt-user", "waymark", "--mqtt-password-file", "password.txt",
               "--mqtt-prefix", "house/way", "--mqtt-discovery-prefix", "homeassistant"]
    for wrong, words in [(["--mqtt", "mqtt://broker.example.org"], "mqtts://"), (["--mqtt-user", "x"], "--mqtt-user needs --mqtt"),
                         (["--mqtt", "mqtts://b", "--mqtt-prefix", "#"], "--mqtt-prefix"),
                         (["--mqtt", "mqtts://b", "--mqtt-ca", "password.txt"], "no certificate")]:
        error = here.run("serve", "--port", "0", *database, *wrong, code=2).stderr
        here.check(words in error, f"serve refuses {' '.join(wrong)}", error)
    user = here.run("tokens", "key", "--user", "ben", *database).stdout.strip()
    device = here.run("tokens", "key", "--user", "ben", "--device", "phone", *database).stdout.strip()
    with running(here, port), here.serving(*database, *options) as (address, _):
        made = json.loads(ask(address + "/v1/me/channels", user, {"kind": "mqtt", "target": {}})[1])
        here.check(made.get("topic", "").startswith("house/way/out/"), "a channel has a topic", made)
        at(port, "mosquitto_sub", "-i", "reader", "-c", "-t", "house/way/out/#", "-E")
        for seconds in (24, 18, 12, 6):
            position = {"_type": "location", "lat": PLACE[0], "lon": PLACE[1], "acc": 8, "tst": int(time.time()) - seconds}
            at(port, "mosquitto_pub", "-t", f"house/way/in/{device}", "-m", json.dumps(position))
        line = at(port, "mosquitto_sub", "-i", "reader", "-c", "-t", "house/way/out/#", "-v", "-C", "1", "-W", "40")
        topic, _, text = line.partition(" ")
        here.check(topic == made["topic"], "the notification is in the topic of the channel", line)
        here.check(json.loads(text or "{}").get("event_type") == "story.nearby", "and names its event", text)
        entity = ""
        for _ in range(15):
            entity = at(port, "mosquitto_sub", "-t", "homeassistant/event/+/config", "--retained-only", "-W", "1")
            if made["topic"] in entity:
                break
        here.check(made["topic"] in entity, "Home Assistant finds the channel", entity)
