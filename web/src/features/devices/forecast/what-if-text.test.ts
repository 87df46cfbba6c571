import { expect, test } from 'vitest';
import type { ExpectedUse, WhatIf } from '@/api/schema.gen';
import { whatIfText } from './what-if-text';

const NOW = new Date(2026, 10, 25);

/** In the browser's time zone. */
function expectedUse(month: number, day: number, mlPerWeek: number): ExpectedUse {
  const at = new Date(2026, month - 1, day, 12).toISOString();
  const empty = { earliest: at, median: at, latest: at };
  return { low: empty, empty, mlPerWeek, basis: 'both', obstacle: null };
}

function without(obstacle: ExpectedUse['obstacle']): ExpectedUse {
  return { low: null, empty: null, mlPerWeek: null, basis: null, obstacle };
}

const before = expectedUse(12, 20, 19.3);

const rows: [string, WhatIf][] = [
  [
    'Runs dry on Jan 3 instead of Dec 20; 14 instead of 19 mL a week.',
    { before, after: expectedUse(13, 3, 13.8), hasEffect: true },
  ],
  ['Runs dry on Dec 20 as before; 19 mL a week.', { before, after: expectedUse(12, 20, 19.4), hasEffect: true }],
  [
    'Runs dry on Nov 20, 2027 instead of Dec 20; 1.4 instead of 19 mL a week.',
    { before, after: expectedUse(23, 20, 1.37), hasEffect: true },
  ],
  [
    'No date when it runs dry, because the device is off, instead of Dec 20.',
    { before, after: without('off'), hasEffect: true },
  ],
  [
    'There is no forecast because the level is unknown.',
    { before: without('unknown_level'), after: without('unknown_level'), hasEffect: true },
  ],
  ['Runs dry on Dec 20; 19 mL a week.', { before: without('off'), after: before, hasEffect: true }],
  [
    'No effect on when it runs dry: use depends only on the times at which the device runs.',
    { before, after: before, hasEffect: false },
  ],
];

test.each(rows)('%s', (text, whatIf) => {
  expect(whatIfText(whatIf, NOW, undefined)).toBe(text);
});
