"""A device without a zone database. It reads its settings once, then prints the local time of each instant on its standard input (seconds
of Unix time, one in each line), by the next change alone and by the rules of POSIX, and whether its schedule from 02:15 to 03:45 is
active then.
"""

import json
import os
import sys
import time

import paho.mqtt.client as mqtt

host, port, dsn, key = sys.argv[1:]
received = []


def connected(client, _data, _flags, _code):
    client.subscribe(f"devices/{dsn}/settings", 1)


def message(client, _data, message):
    received.append(json.loads(message.payload))
    client.disconnect()


client = mqtt.Client(client_id=dsn, protocol=mqtt.MQTTv311)
client.username_pw_set(dsn, key)
client.on_connect = connected
client.on_message = message
client.connect(host, int(port))
client.loop_forever()
[settings] = received
# The library that a chip would use for these rules, without its files of zones.
os.environ["TZDIR"] = "/nowhere"
os.environ["TZ"] = settings["posix"]
time.tzset()


def by_change(at):
    change = settings["next_change"]
    changed = change and time.gmtime(at) >= time.strptime(change["at"], "%Y-%m-%dT%H:%M:%SZ")
    return time.gmtime(at + (change["offset"] if changed else settings["offset"]))


def described(local):
    minute = local.tm_hour * 60 + local.tm_min
    is_active = 2 * 60 + 15 <= minute < 3 * 60 + 45
    return time.strftime("%Y-%m-%dT%H:%M:%S", local) + (" active" if is_active else " idle")


for line in sys.stdin:
    at = int(line)
    print(described(by_change(at)), described(time.localtime(at)), flush=True)
