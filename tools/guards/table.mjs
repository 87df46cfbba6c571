// Reads the tab-separated tables in docs/ and quality/.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The header of a table, and its other lines with their numbers (the header is line 1). */
export function readTable(root, path) {
  const [header, ...lines] = readFileSync(join(root, path), 'utf8').replace(/\n$/, '').split('\n');
  return {
    header: header.split('\t'),
    rows: lines.map((line, index) => ({ number: index + 2, cells: line.split('\t') })),
  };
}

/** A fault for each row whose number of cells differs from the header's. */
export function widthFaults(path, { header, rows }) {
  return rows
    .filter(({ cells }) => cells.length !== header.length)
    .map(({ number, cells }) => `${path}:${number}: ${cells.length} cells, expected ${header.length}`);
}
