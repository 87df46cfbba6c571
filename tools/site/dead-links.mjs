// Dead links of the built site: links of its pages to files and headings that it does not have.
// usage: node tools/site/dead-links.mjs FOLDER
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const TARGET = /<[a-z]+\b[^>]*?\s(?:href|src)="([^"]+)"/g;
const ID = /\sid="([^"]+)"/g;

export function deadLinks(folder) {
  const ids = new Map();
  const idsOf = (path) => {
    if (!ids.has(path)) ids.set(path, new Set([...readFileSync(path, 'utf8').matchAll(ID)].map(([, id]) => id)));
    return ids.get(path);
  };
  const isDead = (page, target) => {
    const [file, anchor] = decodeURI(target.replaceAll('&amp;', '&')).split('#');
    let path = file === '' ? page : join(dirname(page), file.split('?')[0]);
    if (existsSync(path) && statSync(path).isDirectory()) path = join(path, 'index.html');
    if (!existsSync(path)) return true;
    return Boolean(anchor) && path.endsWith('.html') && !idsOf(path).has(anchor);
  };
  return htmlFiles(folder).flatMap((page) => {
    // 404.html refers to the root of the server that it is used on; print.html repeats all other pages.
    if (/(^|\/)(404|print|toc)\.html$/.test(page)) return [];
    const targets = [...readFileSync(page, 'utf8').matchAll(TARGET)].map(([, target]) => target);
    return [...new Set(targets)]
      .filter((target) => !/^([a-z]+:|\/\/)/.test(target) && isDead(page, target))
      .map((target) => `${relative(folder, page)}: ${target}`);
  });
}

function htmlFiles(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.html'))
    .map((name) => join(folder, name));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dead = deadLinks(process.argv[2]);
  for (const link of dead) console.error(`dead link: ${link}`);
  process.exitCode = dead.length > 0 ? 1 : 0;
}
