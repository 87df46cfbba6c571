import { expect, test } from 'vitest';
import type { HistoryMark } from '@/api/schema.gen';
import { effectOf, markText } from './mark-text';

const command = (part: Partial<HistoryMark>): HistoryMark => ({
  at: '2026-11-20T12:00:00Z',
  kind: 'command',
  operation: 'update_device_settings',
  author: null,
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
  [{ author: 'ann@example.com', operation: 'update_device_schedule' }, 'Schedule changed, by ann@example.com'],
  [{ kind: 'change', operation: 'update_device' }, 'Details changed'],
  [{ kind: 'change', operation: 'create_csp' }, 'Changed'],
  [{ kind: 'refused', operation: null, changes: [change('mode', null, 4)] }, 'Refused by the device: Mode Run'],
  [{ kind: 'unanswered', operation: 'update_device_schedule' }, 'Not answered by the device: Schedule'],
  [
    { kind: 'unanswered', operation: null, changes: [change('fragranceRemaining', null, 100)] },
    'Not answered by the device: Fragrance Remaining 100%',
  ],
  [{ kind: 'refill', operation: null, changes: [change('fragranceRemaining', 3, 100)] }, 'Refill to 100%'],
])('%j reads %s', (part, text) => {
  expect(markText(command(part))).toBe(text);
});

test.each<[Partial<HistoryMark>, string | undefined]>([
  [{ changes: [change('intensity', 20, 35), change('mode', 4, 1)] }, 'off'],
  [{ changes: [change('mode', 4, 2)] }, 'off'],
  [{ operation: 'copy_device', changes: [change('mode', 1, 3)] }, 'on'],
  [{ operation: 'copy_device' }, 'schedule'],
  [{ operation: 'update_device_schedule' }, 'schedule'],
  [{ changes: [change('intensity', 20, 35)] }, undefined],
  [{ kind: 'refused', operation: null, changes: [change('mode', null, 1)] }, undefined],
])('%j has the effect %s', (part, effect) => {
  expect(effectOf(command(part))).toBe(effect);
});
