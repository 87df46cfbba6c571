import { createServer } from 'node:net';

/**
 * The loopback address of this worker's servers. Workers do not share it, so a free port stays free, also while a server
 * restarts.
 */
export const HOST = `127.0.0.${2 + Number(process.env.TEST_PARALLEL_INDEX ?? 0)}`;

/** Below the ports that the system gives to servers that ask for any: one of them could get this port before it is used. */
let next = 20_000;

/** A free port of that address, as `host:port`. */
export async function freeAddress(): Promise<string> {
  for (;;) {
    const port = next;
    next += 1;
    if (await isFree(port)) return `${HOST}:${port}`;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(port, HOST, () => server.close(() => resolve(true)));
  });
}
