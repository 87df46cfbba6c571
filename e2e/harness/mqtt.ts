import { connect } from 'node:net';

const CONNECT = 0x10;
const PUBLISH_QOS_1 = 0x32;
const DISCONNECT = Buffer.from([0xe0, 0]);
const CONNACK = '20020000';

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function packet(kind: number, body: Buffer): Buffer {
  const length: number[] = [];
  for (let rest = body.length; length.length === 0 || rest > 0; rest >>= 7) {
    length.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
  }
  return Buffer.concat([Buffer.from([kind, ...length]), body]);
}

/** Connects as a device, publishes reports one after the other, of which each must be acknowledged, and disconnects. */
export async function publishReports(link: string, dsn: string, key: string, payloads: readonly string[]) {
  const { hostname, port } = new URL(link);
  const socket = connect(Number(port), hostname);
  const chunks = socket.iterator();
  let received = '';
  const expectAnswer = async (answer: string) => {
    while (received.length < answer.length) {
      const { value, done } = await chunks.next();
      if (done) throw new Error(`the cloud closed the connection of ${dsn}`);
      received += value.toString('hex');
    }
    if (!received.startsWith(answer)) throw new Error(`the cloud answered ${received} to ${dsn}, not ${answer}`);
    received = received.slice(answer.length);
  };
  try {
    const login = [text('MQTT'), Buffer.from([4, 0xc2, 0, 60]), text(dsn), text(dsn), text(key)];
    socket.write(packet(CONNECT, Buffer.concat(login)));
    await expectAnswer(CONNACK);
    for (const [index, payload] of payloads.entries()) {
      const id = (index + 1).toString(16).padStart(4, '0');
      const publish = [text(`devices/${dsn}/report`), Buffer.from(id, 'hex'), Buffer.from(payload)];
      socket.write(packet(PUBLISH_QOS_1, Buffer.concat(publish)));
      await expectAnswer(`4002${id}`);
    }
    socket.end(DISCONNECT);
  } finally {
    socket.destroySoon();
  }
}
