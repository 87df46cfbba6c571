// Writes .br and .gz files next to files that can be sent compressed. index.html has none, because the server inserts a nonce.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const DIST = join(import.meta.dirname, '../dist');
const COMPRESSIBLE = /\.(js|css|svg|json)$/;
const MIN_BYTES = 1024;

const names = await readdir(DIST, { recursive: true });
for (const name of names.filter((name) => COMPRESSIBLE.test(name) && !name.startsWith('.vite'))) {
  const path = join(DIST, name);
  const bytes = await readFile(path);
  if (bytes.length < MIN_BYTES) continue;
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, quality));
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }));
}
