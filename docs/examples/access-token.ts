// Prints the first 50 devices with a level of at most 20 percent, then sets the fan of the device DSN.
//
//   CONSOLE_URL=https://console.example.com CONSOLE_TOKEN=sillage_… node access-token.ts DSN

interface Device {
  dsn: string;
  serviceArea: string | null;
}

async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${process.env.CONSOLE_URL}${path}`, {
    method,
    headers: { authorization: `Bearer ${process.env.CONSOLE_TOKEN}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  // The problem says what is wrong, for example which right the token lacks.
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.detail}`);
  return answer;
}

const { devices, total } = await call<{ devices: Device[]; total: number }>(
  'GET',
  '/api/devices?maxremaining=20&pageSize=50',
);
for (const { dsn, serviceArea } of devices) console.log(dsn, serviceArea);
console.log(`${devices.length} of ${total}`);
await call('PUT', `/api/devices/dsns/${process.argv[2]}/settings`, { fan: 3 });
