import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { committed } from './fixture.mjs';
import { metricFaults } from './metrics.mjs';

const FILES = {
  'crates/a/src/lib.rs': 'metrics::counter!("sillage_a_total", "b" => c).increment(1);\nmetrics::histogram!(\n"sillage_b_seconds");',
  'ops/README.md': '\n| `sillage_a_total{b}`, `sillage_b_seconds` | |\n',
  'ops/rules.yml': '- alert: SillageLate\n  expr: rate(sillage_a_total[5m]) > 1 and sillage_b_seconds_bucket\n  description: Late.',
  'ops/board.json': '{ "expr": "sillage_b_seconds_sum" }',
};

const faultsWith = (t, files) => metricFaults(committed(t, { ...FILES, ...files }));

test('documented metrics that the code records are accepted', (t) => {
  assert.deepEqual(faultsWith(t, {}), []);
});

test('the metrics and alarms of this repository are documented and recorded', () => {
  assert.deepEqual(metricFaults(fileURLToPath(new URL('../..', import.meta.url))), []);
});

test('a metric that only the code or only the page names is reported', (t) => {
  const faults = faultsWith(t, { 'ops/README.md': '`sillage_b_seconds` `sillage_c`\n' });
  assert.deepEqual(faults, [
    'ops/README.md: the metric sillage_a_total is missing',
    'ops/README.md: no code records the metric sillage_c',
  ]);
});

test('a dashboard or alarm with an unknown metric is reported', (t) => {
  const faults = faultsWith(t, { 'ops/board.json': 'sillage_a sillage_b_seconds sillage_a_total_count' });
  assert.deepEqual(faults, [
    'ops/board.json: no code records the metric sillage_a',
    'ops/board.json: no code records the metric sillage_b_seconds',
    'ops/board.json: no code records the metric sillage_a_total_count',
  ]);
});

test('an alarm without a description is reported', (t) => {
  const rules = '- alert: SillageEarly\n  expr: up\n- alert: SillageLate\n  description: Late.\n';
  assert.deepEqual(faultsWith(t, { 'ops/rules.yml': rules }), ['ops/rules.yml: the alarm SillageEarly has no description']);
});
