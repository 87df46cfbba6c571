"""Prints every device with a level of at most 20 percent, then sets the fan of the device DSN.

    CONSOLE_URL=https://console.example.com CONSOLE_TOKEN=sillage_... python3 access_token.py DSN
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request


def call(method, path, body=None):
    request = urllib.request.Request(
        os.environ["CONSOLE_URL"] + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": "Bearer " + os.environ["CONSOLE_TOKEN"], "Content-Type": "application/json"},
    )
    while True:
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            if error.code != 429:
                # The problem says what is wrong, for example which right the token lacks.
                sys.exit(f"{method} {path}: {error.code} {json.load(error)['detail']}")
            time.sleep(int(error.headers["Retry-After"]))


def devices(query):
    """The devices of all pages."""
    page, seen, total = 1, 0, 1
    while seen < total:
        answer = call("GET", f"/api/devices?{query}&pageSize=50&page={page}")
        yield from answer["devices"]
        page, seen, total = page + 1, seen + 50, answer["total"]


for device in devices("maxremaining=20"):
    print(device["dsn"], device["serviceArea"])
call("PUT", f"/api/devices/dsns/{sys.argv[1]}/settings", {"fan": 3})
