// Fails when a route's first load (script and style, compressed as the server sends them) outgrows its budget.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DIST, filesOf, manifest, ROUTES } from './routes.mjs';

/** Files that are loaded on demand, after their route. */
const LATER = [
  { path: 'alerts', chunk: 'src/ui/notices/AlertArea.tsx', kB: 12 },
  { path: 'history', chunk: 'src/features/devices/history/HistoryCharts.tsx', kB: 40 },
  { path: 'days of a zone', chunk: 'node_modules/temporal-polyfill/index.js', kB: 25 },
  { path: 'report', chunk: 'src/ui/list/ReportForm.tsx', kB: 10 },
  { path: 'shortcuts', chunk: 'src/ui/dialogs/ShortcutKeys.tsx', kB: 10 },
  { path: 'bulk edit', chunk: 'src/features/devices/bulk/BulkEditPanel.tsx', kB: 10 },
  { path: 'catalogue', chunk: 'src/features/import/file/catalogue-csv.ts', kB: 12 },
  { path: 'notification', chunk: 'src/features/devices/notifications/OpenedNotification.tsx', kB: 10 },
];

/** The compressed size; compress.mjs does not compress small files. */
function sizeOf(file) {
  const path = join(DIST, file);
  return statSync(existsSync(`${path}.br`) ? `${path}.br` : path).size;
}

function kBOf(files) {
  return files.reduce((sum, file) => sum + sizeOf(file), 0) / 1000;
}

function report(path, what, kB, budget) {
  const isOver = kB > budget;
  if (isOver) process.exitCode = 1;
  console.log(`${path.padEnd(27)} ${kB.toFixed(1)} of ${budget} kB, ${what}${isOver ? '  TOO BIG' : ''}`);
}

for (const { path, chunks, kB } of ROUTES) {
  const files = filesOf(chunks);
  report(path, `${files.length} files`, kBOf(files), kB);
}

for (const { path, chunk, kB } of LATER) {
  if (!manifest[chunk]?.isDynamicEntry) throw new Error(`${chunk} is no longer loaded by itself: update LATER`);
  report(path, 'later', kBOf([manifest[chunk].file]), kB);
}
