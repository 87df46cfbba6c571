import { readFileSync } from 'node:fs';
import { attentionItem } from '@test/fake-attention';
import { expect, test } from 'vitest';
import type { AttentionItem } from '@/api/schema.gen';
import { evidenceText, sinceText } from './attention-text';

interface Case {
  evidence: AttentionItem['evidence'];
  isProvisional: boolean;
  timeZone: string | null;
  text: string;
}

const FILE = new URL('../../../../../crates/console/src/attention/statements.json', import.meta.url);
const cases: Case[] = JSON.parse(readFileSync(FILE, 'utf8'));
const NOW = new Date('2026-11-20T10:00:00Z');

test('the page has the cases of the digest', () => expect(cases).toHaveLength(10));

test.each(cases)('an item with $evidence in $timeZone says $text, as the digest does', ({ text, ...part }) => {
  const item = attentionItem({ ...part, timeZone: part.timeZone ?? 'UTC', since: '2026-11-18T23:30:00Z' });
  const said = [evidenceText(item, NOW), sinceText(item, NOW)].join(' · ');
  expect(said.toLowerCase().split(' · ')).toContain(text.toLowerCase());
  // One day, besides the time of the cause itself.
  expect(said.match(/since [A-Z][a-z]{2} \d+$|run(s)? dry/gi)).toHaveLength(1);
});
