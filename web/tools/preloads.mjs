// Writes preloads.json: the files that the server names in the header of each page, so that the browser asks for all of them
// at once instead of finding one in the other.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROUTES as ADDRESSES } from '../src/app/paths.ts';
import { DIST, filesOf, manifest, ROUTES } from './routes.mjs';

const entry = filesOf([]);
const fonts = Object.values(manifest).flatMap(({ assets = [] }) => assets);
/** That of English texts. */
const font = fonts.find((file) => file.includes('inter-latin-wght'));
if (!font) throw new Error('the font is not in the build');

const preloads = { entry, public: {}, 'signed-in': {} };
for (const { path, access } of ADDRESSES) {
  const route = ROUTES.find((route) => route.path === path);
  // Some addresses only lead to another one.
  if (route) preloads[access][path] = [...filesOf(route.chunks).filter((file) => !entry.includes(file)), font];
}
writeFileSync(join(DIST, 'preloads.json'), JSON.stringify(preloads));
