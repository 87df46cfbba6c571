// Writes preloads.json: the files that the server names in the header of each page, so that the browser requests all of them
// at once instead of discovering them one by one.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROUTES as ADDRESSES } from '../src/app/paths.ts';
import { DIST, filesOf, manifest, ROUTES } from './routes.mjs';

const entry = filesOf([]);
const fonts = Object.values(manifest).flatMap(({ assets = [] }) => assets);
/** The font for Latin letters. */
const font = fonts.find((file) => file.includes('inter-latin-wght'));
if (!font) throw new Error('the font is not in the build');

const preloads = { entry, public: {}, 'signed-in': {} };
for (const { path, access } of ADDRESSES) {
  const route = ROUTES.find((route) => route.path === path);
  // Some addresses only redirect.
  if (route) preloads[access][path] = [...filesOf(route.chunks).filter((file) => !entry.includes(file)), font];
}
writeFileSync(join(DIST, 'preloads.json'), JSON.stringify(preloads));
