import { expect, test } from 'vitest';
import type { HistoryMark } from '@/api/schema.gen';
import { markText } from './mark-text';

const command = (part: Partial<HistoryMark>): HistoryMark => ({
  at: '2026-11-20T12:00:00Z',
  kind: 'command',
  operation: 'update_device_settings',
  changes: [],
  ...part,
});
const change = (field: string, before: number | null, after: number) => ({ field, before, after });

test.each<[Partial<HistoryMark>, string]>([
  [{ changes: [change('intensity', 20, 35)] }, 'Intensity 20 → 35'],
  [{ changes: [change('mode', 1, 4), change('fan', null, 0)] }, 'Mode Off → Run, Fan Speed Unknown → Off'],
  [{ changes: [change('cycle', 3, 1)] }, 'Off-cycle Normal (7 Min) → Very Short (30 Sec)'],
  [{ operation: 'copy_device', changes: [change('intensity', 1, 2)] }, 'Intensity 1 → 2'],
  [{ operation: 'copy_device' }, 'Details copied'],
  [{ operation: 'update_device_schedule' }, 'Schedule changed'],
  [{ operation: 'reset_fragrance_level', changes: [change('fragranceRemaining', 3, 100)] }, 'Level reset'],
  [{ operation: 'undo_fragrance_level_reset' }, 'Level reset undone'],
  [{ changes: [change('color', 1, 2)] }, 'Settings changed'],
  [{ operation: null }, 'Command'],
  [{ kind: 'refill', operation: null, changes: [change('fragranceRemaining', 3, 100)] }, 'Refill to 100%'],
])('%j reads %s', (part, text) => {
  expect(markText(command(part))).toBe(text);
});
