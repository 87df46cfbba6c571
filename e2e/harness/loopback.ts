import { createServer } from 'node:net';

/**
 * The loopback address of this worker's servers. Workers do not share it, so a free port stays free, also while a server
 * restarts.
 */
export const HOST = `127.0.0.${2 + Number(process.env.TEST_PARALLEL_INDEX ?? 0)}`;

/** A free port of that address, as `host:port`. */
export async function freeAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return `${HOST}:${address.port}`;
}
