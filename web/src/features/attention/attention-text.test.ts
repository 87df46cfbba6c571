import { attentionItem } from '@test/fake-attention';
import { expect, test } from 'vitest';
import type { AttentionItem } from '@/api/schema.gen';
import { evidenceText, sinceText } from './attention-text';

const cases: [AttentionItem['evidence'], string | null, string][] = [
  [{ runsDryAt: '2026-11-25T12:00:00Z' }, 'Europe/Oslo', 'runs dry Nov 25'],
  [{ runsDryAt: '2026-11-25T12:00:00Z' }, 'Pacific/Auckland', 'runs dry Nov 26'],
  [{ runsDryAt: '2027-11-25T12:00:00Z' }, 'Europe/Oslo', 'runs dry Nov 25, 2027'],
  [{ runsDryAt: '2026-11-20T10:00:00Z' }, 'Europe/Oslo', 'was expected to run dry Nov 20'],
  [{ runsDryAt: '2026-11-18T12:00:00Z', level: 12 }, 'Pacific/Auckland', 'was expected to run dry Nov 19'],
  [{ level: 0 }, 'America/New_York', 'since Nov 18'],
  [{ offlineSince: '2026-11-18T23:30:00Z' }, 'Pacific/Auckland', 'since Nov 19'],
  [{}, null, 'since Nov 18'],
];
const NOW = new Date('2026-11-20T10:00:00Z');

test.each(cases)('an item with %j in %s says one day: %s', (evidence, timeZone, text) => {
  const item = attentionItem({ evidence, timeZone: timeZone ?? 'UTC', since: '2026-11-18T23:30:00Z' });
  const said = [evidenceText(item, NOW), sinceText(item, NOW)].join(' · ');
  expect(said.toLowerCase()).toContain(text.toLowerCase());
  // One day, besides the time of the cause itself.
  expect(said.match(/since [A-Z][a-z]{2} \d+$|run(s)? dry/gi)).toHaveLength(1);
});
