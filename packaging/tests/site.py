#!/usr/bin/env python3
"""A site on this machine that answers as Lichess does when it is asked for the games of an account.

site.py GAMES.ndjson

Prints its address, and serves until it is ended. No game is served by its id: it has not changed."""

import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

GAMES = Path(sys.argv[1]).read_bytes()


class Site(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(GAMES if self.path.startswith("/api/games/user/samplerook?") else None)

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer(b"" if self.path.startswith("/api/games/export/_ids?") else None)

    def answer(self, games):
        self.send_response(404 if games is None else 200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Content-Length", str(len(games or b"")))
        self.end_headers()
        self.wfile.write(games or b"")

    def log_message(self, *args):
        pass


server = HTTPServer(("127.0.0.1", 0), Site)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
