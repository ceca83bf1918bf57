"""The program under load, and what it uses."""
import http.client
import os
import pathlib
import resource
import signal
import socket
import subprocess
import sys
import time


def allow_descriptors():
    """Raises the number of open files to what the system allows, for this program and those that it starts."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


class Service:
    def __init__(self, program, database, connections=3_000):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.database = database
        self.log = open(str(database) + ".log", "ab")
        words = [program, "serve", "--database", str(database), "--port", str(self.port), "--rate-limit", "0", "--quiet",
                 "--connections-per-address", str(max(3_000, connections))]
        self.process = subprocess.Popen(words, stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL)
        end = time.monotonic() + 300
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > end:
                sys.exit(f"the service is not ready; see {database}.log")
            time.sleep(0.1)

    def is_ready(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def sample(self):
        base = f"/proc/{self.process.pid}"
        with open(base + "/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        memory = {}
        with open(base + "/status") as file:
            for line in file:
                name, _, value = line.partition(":")
                if name in ("VmRSS", "RssAnon", "RssFile", "Threads"):
                    memory[name] = int(value.split()[0])
        return {
            "cpu": (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"),
            "rss": memory["VmRSS"] / 1024,
            "anon": memory["RssAnon"] / 1024,
            "threads": memory["Threads"],
            "wal": self.log_size(),
            "fds": len(os.listdir(base + "/fd")),
        }

    def log_size(self):
        wal = pathlib.Path(str(self.database) + "-wal")
        return wal.stat().st_size / 2**20 if wal.exists() else 0

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.log.close()
