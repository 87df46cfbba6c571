"""A client of one version of MQTT, with reports that it publishes. It prints the answer to its CONNECT, "stored" for each report, and
"closed" when its connection has ended.
"""

import sys

import paho.mqtt.client as mqtt

VERSIONS = {"3.1": mqtt.MQTTv31, "3.1.1": mqtt.MQTTv311, "5": mqtt.MQTTv5}

host, port, dsn, key, version, keep_alive, *reports = sys.argv[1:]


def connected(client, _data, _flags, code, _properties=None):
    # A return code; for MQTT 5 the name of a reason code.
    print(code, flush=True)
    for report in reports:
        client.publish(f"devices/{dsn}/report", report, qos=1)


def published(_client, _data, _id):
    print("stored", flush=True)


client = mqtt.Client(client_id=dsn, protocol=VERSIONS[version])
client.username_pw_set(dsn, key)
client.on_connect = connected
client.on_publish = published
client.connect(host, int(port), int(keep_alive))
while client.loop() == mqtt.MQTT_ERR_SUCCESS:
    pass
print("closed", flush=True)
