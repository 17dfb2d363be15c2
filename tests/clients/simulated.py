"""Starts `provely simulate`, and a subscriber that keeps what is posted to it."""

import http.server
import json
import os
import pathlib
import queue
import subprocess
import threading
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROVELY = os.environ.get("PROVELY_BIN", str(ROOT / "target" / "debug" / "provely"))


class Simulated:
    """A simulated service in a process of its own, on a free port."""

    def __init__(self, *arguments):
        command = [PROVELY, "--json", "simulate", *arguments, "--port", "0", "--root", str(ROOT)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.address = json.loads(self.process.stdout.readline())["address"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def control(self, method, path, body=None):
        """Asks the control endpoint."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.address}/_control{path}", data, method=method)
        with urllib.request.urlopen(request, timeout=10) as reply:
            return json.loads(reply.read())


class Subscriber:
    """Keeps the deliveries that it gets: raw bodies and headers."""

    def __init__(self):
        deliveries = self.deliveries = queue.Queue()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                deliveries.put((body, dict(self.headers)))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hooks"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def next(self):
        """The next delivery, waited for."""
        return self.deliveries.get(timeout=20)
