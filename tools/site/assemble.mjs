// Assembles the source of the documentation site: the pages that docs/SUMMARY.md lists, which may be anywhere in the repository, the
// files that they link to, and the generated reference pages.
// usage: node tools/site/assemble.mjs SILLAGE FOLDER
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiPage } from './api.mjs';
import { commandsPage, program } from './commands.mjs';
import { configurationPage } from './configuration.mjs';
import { API_PAGE, COMMANDS_PAGE, CONFIGURATION_PAGE } from '../guards/generated-pages.mjs';

const LINK = /(!?)\[([^\]]*)\]\(([^()\s]+)\)/g;
const FENCED = /(```[^]*?```)/;

/** Writes the source of the site to the folder. `generated` maps paths below docs/ to the texts of generated pages. */
export function assemble(root, folder, generated) {
  const pages = pagesOf(readFileSync(join(root, 'docs/SUMMARY.md'), 'utf8'));
  rmSync(folder, { recursive: true, force: true });
  const place = (path) => (path.startsWith('docs/') ? path.slice('docs/'.length) : `repository/${path}`);
  // mdBook gives a page README.md the name index.html, but does not change the links to it.
  const pagePlace = (path) => place(path).replace(/README\.md$/, 'index.md');
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };

  const siteLink = (from, target) => {
    if (/^([a-z]+:|#)/.test(target)) return target;
    const [file, anchor] = target.split('#');
    const path = normalize(join(dirname(from), file)).replace(/\/$/, '');
    const page = [path, `${path}/README.md`].find((page) => pages.has(page));
    const here = posix.dirname(pagePlace(from));
    if (page) return [posix.relative(here, pagePlace(page)), ...(anchor ? [anchor] : [])].join('#');
    if (statSync(join(root, path)).isDirectory()) return undefined;
    if (path.endsWith('.md')) throw new Error(`${from} links to ${path}, which docs/SUMMARY.md does not list`);
    mkdirSync(dirname(join(folder, place(path))), { recursive: true });
    cpSync(join(root, path), join(folder, place(path)));
    return posix.relative(here, place(path));
  };

  for (const path of pages) {
    const text = generated.get(path) ?? readFileSync(join(root, path), 'utf8');
    const parts = text.split(FENCED).map((part) =>
      part.startsWith('```')
        ? part
        : part.replace(LINK, (_, image, label, target) => {
            const link = siteLink(path, target);
            return link === undefined ? label : `${image}[${label}](${link})`;
          }),
    );
    write(pagePlace(path), parts.join(''));
  }
  const summary = readFileSync(join(root, 'docs/SUMMARY.md'), 'utf8');
  write(
    'SUMMARY.md',
    summary.replace(LINK, (_, image, label, target) => `${image}[${label}](${pagePlace(posix.join('docs', target))})`),
  );
}

/** The paths of the pages from the root of the repository. */
function pagesOf(summary) {
  return new Set([...summary.matchAll(LINK)].map(([, , , target]) => posix.join('docs', target)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [binary, folder] = process.argv.slice(2);
  const root = fileURLToPath(new URL('../..', import.meta.url));
  if (!folder || !existsSync(binary)) {
    console.error('usage: node tools/site/assemble.mjs SILLAGE FOLDER');
    process.exit(2);
  }
  const generated = new Map([
    [COMMANDS_PAGE, commandsPage(program(binary))],
    [CONFIGURATION_PAGE, configurationPage(program(binary))],
    [API_PAGE, apiPage(JSON.parse(readFileSync(join(root, 'api/openapi.json'), 'utf8')))],
  ]);
  assemble(root, join(folder, 'pages'), generated);
  cpSync(join(root, 'tools/site/book.toml'), join(folder, 'book.toml'));
  console.log(`assembled ${relative(process.cwd(), folder)}`);
}
