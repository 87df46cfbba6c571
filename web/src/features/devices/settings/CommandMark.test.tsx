import { render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { Command } from '@/api/schema.gen';
import { UiProvider } from '@/ui/UiProvider';
import { CommandMark } from './CommandMark';

/** In the browser's time zone. */
const at = (day: number, time: string) => new Date(`2026-11-${day}T${time}`).toISOString();

const command: Command = {
  value: 24,
  state: 'pending',
  sentAt: at(20, '09:30'),
  answeredAt: null,
  expiresAt: at(27, '09:30'),
  reported: 30,
};

function mark(part: Partial<Command>, of?: string): string {
  vi.useFakeTimers({ now: new Date('2026-11-20T12:00') });
  render(
    <UiProvider>
      <CommandMark command={{ ...command, ...part }} text={(value) => `${value}%`} {...(of && { of })} />
    </UiProvider>,
  );
  vi.useRealTimers();
  return (screen.getByRole('status').textContent ?? '').replaceAll('\u202f', ' ');
}

test.each<[string, Partial<Command>, string]>([
  ['waits', {}, 'Pending since 9:30 AM · device reports 30%'],
  ['waits since yesterday', { sentAt: at(19, '22:05') }, 'Pending since Nov 19, 2026, 10:05 PM · device reports 30%'],
  ['waits for a device that never reported', { reported: null }, 'Pending since 9:30 AM'],
  ['was taken over', { state: 'acknowledged', answeredAt: at(20, '09:31') }, 'Confirmed 9:31 AM'],
  ['was taken over, nobody knows when', { state: 'acknowledged' }, 'Confirmed 9:30 AM'],
  ['was refused', { state: 'failed', answeredAt: at(20, '09:32') }, 'Refused 9:32 AM · device reports 30%'],
  [
    'expired',
    { state: 'expired', sentAt: at(12, '22:05'), expiresAt: at(19, '22:05') },
    'Expired Nov 19, 2026, 10:05 PM · sent Nov 12, 2026, 10:05 PM · device reports 30%',
  ],
])('a value that %s says so and since when', (_, part, text) => {
  expect(mark(part)).toBe(text);
});

test('a status below another value names its setting', () => {
  expect(mark({ reported: null }, 'Hours of the cartridge')).toBe('Hours of the cartridge: Pending since 9:30 AM');
});
