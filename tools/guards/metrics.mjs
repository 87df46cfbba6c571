// Metrics: ops/README.md lists exactly those that the servers record, dashboards and alarms use no others, and every alarm has
// a description for the person whom it wakes.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { trackedFiles } from './committed.mjs';

const PAGE = 'ops/README.md';
const CODE = /^crates\/[^/]+\/src\/.*\.rs$/;
const USES = /^ops\/.*\.(json|ya?ml)$/;
const RECORDED = /(counter|gauge|histogram)!\(\s*"(sillage_\w+)"/g;
const NAME = /\bsillage_\w+/g;
/** What Prometheus adds to the name of a histogram. */
const SERIES = /_(bucket|sum|count)$/;

export function metricFaults(root) {
  const read = (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '');
  const files = trackedFiles(root);
  const kinds = new Map();
  for (const path of files.filter((file) => CODE.test(file)))
    for (const [, kind, name] of read(path).matchAll(RECORDED)) kinds.set(name, kind);
  const documented = new Set(read(PAGE).match(NAME));
  const faults = [];
  for (const name of kinds.keys()) if (!documented.has(name)) faults.push(`${PAGE}: the metric ${name} is missing`);
  for (const name of documented) if (!kinds.has(name)) faults.push(`${PAGE}: no code records the metric ${name}`);

  for (const path of files.filter((file) => USES.test(file))) {
    const text = read(path);
    for (const name of new Set(text.match(NAME))) {
      const histogram = name.replace(SERIES, '');
      const isRecorded = kinds.get(histogram) === 'histogram' ? histogram !== name : kinds.has(name);
      if (!isRecorded) faults.push(`${path}: no code records the metric ${name}`);
    }
    for (const rule of text.split('- alert: ').slice(1))
      if (!/^ +description: ./m.test(rule)) faults.push(`${path}: the alarm ${/^\w+/.exec(rule)} has no description`);
  }
  return faults;
}
