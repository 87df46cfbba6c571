import { deviceDetail, fakeApi, ok, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { DeviceDetail, ScheduleFrame } from '@/api/schema.gen';
import { WEEK } from '@/lib/schedule';

/** A Wednesday, and still Tuesday in Chicago. */
const NOW = new Date('2026-11-18T02:00:00Z');

async function open(part: Partial<DeviceDetail>) {
  vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
  fakeApi({
    'GET /api/session': () => ok(session),
    'GET /api/devices/dsns/AC000W510000001': () => ok(deviceDetail(part)),
  });
  renderApp('/devices/AC000W510000001');
  const block = await screen.findByRole('region', { name: 'Schedule Overview' });
  vi.useRealTimers();
  return block;
}

/** The 21 frames, some of them active. */
function scheduleOf(...active: (Partial<ScheduleFrame> & Pick<ScheduleFrame, 'number'>)[]): ScheduleFrame[] {
  return deviceDetail().schedule.map((frame) => {
    const part = active.find(({ number }) => number === frame.number);
    return part ? { ...frame, active: true, ...part } : frame;
  });
}

const WEEKDAYS = { number: 3, dayOfTheWeek: 9, intensity: 25, startHour: 6, stopHour: 11, stopMinute: 59 };
const WEEKEND = { number: 7, dayOfTheWeek: 8, intensity: 50, startHour: 18, stopHour: 23, stopMinute: 59 };

/** What a day of the chart holds: text, place in the day, class of the intensity, and whether it is marked. */
function bars(block: HTMLElement, day: number) {
  const bars = block.querySelectorAll<HTMLElement>(`[data-day="${day}"] [data-intensity]`);
  return [...bars].map(({ textContent, style, dataset }) => [
    textContent,
    style.getPropertyValue('--from'),
    style.getPropertyValue('--to'),
    dataset.intensity,
    dataset.running,
  ]);
}

test('frames sit at their days and hours, with number and intensity; the one that runs is marked on its day', async () => {
  const block = await open({
    mode: 4,
    schedule: scheduleOf(WEEKDAYS, WEEKEND),
    shownIntensity: { value: 25, schedule: 3 },
    timeZone: 'America/Chicago',
  });
  const weekday = ['3 25', '0.25', '0.5', '3', 'false'];
  const tuesday = ['3 25', '0.25', '0.5', '3', 'true'];
  const weekend = ['7 50', '0.75', '1', '5', 'false'];
  const week = [[weekday], [tuesday], [weekday], [weekday], [weekday], [weekend], [weekend]];
  expect(WEEK.map((day) => bars(block, day))).toEqual(week);
  expect(within(block).getByRole('img')).toHaveAccessibleName(/^Week chart/);
});

test('where the device is nobody knows, the frame that runs is marked on all its days', async () => {
  const schedule = scheduleOf(WEEKEND);
  const block = await open({ mode: 4, schedule, shownIntensity: { value: 50, schedule: 7 }, timeZone: null });
  expect([6, 7].map((day) => bars(block, day)[0]?.at(-1))).toEqual(['true', 'true']);
});

test('a list says the same in words', async () => {
  const block = await open({
    mode: 4,
    schedule: scheduleOf(WEEKDAYS, WEEKEND),
    shownIntensity: { value: 25, schedule: 3 },
  });
  const frames = within(block).getAllByRole('listitem');
  expect(frames.map(({ textContent }) => textContent?.replaceAll('\u202f', ' '))).toEqual([
    'Schedule 3Intensity 25Weekdays, 6:00 AM – 11:59 AMRuns now',
    'Schedule 7Intensity 50Weekend Days, 6:00 PM – 11:59 PM',
  ]);
});

test.each<[string, Partial<DeviceDetail>, string]>([
  ['while a schedule runs', { mode: 4, shownIntensity: { value: 25, schedule: 3 } }, 'Intensity now: 25 (Schedule 3)'],
  ['between two schedules', { mode: 4, shownIntensity: { value: 48, schedule: null } }, 'Intensity now: 48'],
  [
    'in another mode',
    { mode: 3, shownIntensity: { value: 48, schedule: null } },
    'Intensity now: 48The schedule runs in Run mode only.',
  ],
])('its head has the intensity %s', async (_, part, text) => {
  const block = await open({ schedule: scheduleOf(WEEKDAYS), ...part });
  expect(within(block).getByText(/^Intensity now/)).toHaveTextContent(text);
});

test('without an active frame there is no chart, and a schedule that is on its way says so', async () => {
  const sentAt = NOW.toISOString();
  const schedule = { state: 'pending', sentAt, answeredAt: null, expiresAt: null } as const;
  const block = await open({ commands: { schedule } });
  expect(within(block).getByText('No schedule is active.')).toBeVisible();
  expect(within(block).queryByRole('img')).not.toBeInTheDocument();
  expect(within(block).getByRole('status')).toHaveTextContent(/^Pending since /);
});
