#!/usr/bin/env python3
"""A small device for the device link (docs/device-link.md): it reports its settings and obeys commands.

Requires paho-mqtt, 1.6 or at least 2.1 (Debian: python3-paho-mqtt).
"""

import argparse
import json
import signal

import paho.mqtt.client as mqtt

RANGES = {"current_state": (1, 4), "cycle": (1, 3), "intensity": (1, 50), "fan": (0, 5)}


class Device:
    def __init__(self, dsn, key, ca=None):
        self.dsn = dsn
        self.values = {"current_state": 3, "cycle": 3, "intensity": 20, "fan": 2}
        # The cloud speaks MQTT 3.1.1 only.
        self.client = mqtt.Client(client_id=dsn, protocol=mqtt.MQTTv311)
        self.client.username_pw_set(dsn, key)
        if ca:
            self.client.tls_set(ca)
        self.client.reconnect_delay_set(min_delay=1, max_delay=60)
        self.client.on_connect = self.connected
        self.client.on_message = self.received

    def run(self, host, port):
        self.client.connect(host, port, keepalive=60)
        self.client.loop_forever()

    def stop(self):
        self.client.disconnect()

    def connected(self, client, _data, _flags, code):
        if code != 0:
            print("refused:", mqtt.connack_string(code), flush=True)
            return
        client.subscribe([(self.topic("command"), 1), (self.topic("settings"), 1)])
        # Everything after each connect, because the cloud may have missed changes.
        self.publish("report", {"properties": self.values, "sw_version": "example 1.0"})

    def received(self, _client, _data, message):
        content = json.loads(message.payload)
        if message.topic == self.topic("settings"):
            print("time zone:", content["time_zone"], "time:", content["time"], flush=True)
        else:
            self.obey(content)

    def obey(self, command):
        name, value = command["property"], command["value"]
        low, high = RANGES.get(name, (1, 0))
        if type(value) is not int or not low <= value <= high:
            self.publish("ack", {"id": command["id"], "status": 422})
            return
        self.values[name] = value
        self.publish("ack", {"id": command["id"], "status": 200})
        self.publish("report", {"properties": {name: value}})

    def publish(self, topic, content):
        # QoS 1: what is not acknowledged is sent again after the next connect.
        self.client.publish(self.topic(topic), json.dumps(content), qos=1)

    def topic(self, name):
        return f"devices/{self.dsn}/{name}"


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("host")
    arguments.add_argument("port", type=int)
    arguments.add_argument("dsn")
    arguments.add_argument("key_file", help="a file that contains the device key")
    arguments.add_argument("--ca", help="connect with TLS and trust the certificate authorities in this file")
    options = arguments.parse_args()
    with open(options.key_file, encoding="ascii") as file:
        key = file.read().strip()
    device = Device(options.dsn, key, options.ca)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: device.stop())
    device.run(options.host, options.port)


if __name__ == "__main__":
    main()
