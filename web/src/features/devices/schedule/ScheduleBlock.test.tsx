import { deviceDetail, fakeApi, ok, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { DeviceDetail, ScheduleFrame } from '@/api/schema.gen';
import { WEEK } from '@/domain/schedule';

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

/** 21 frames, some of them active. */
function scheduleOf(...active: (Partial<ScheduleFrame> & Pick<ScheduleFrame, 'number'>)[]): ScheduleFrame[] {
  return deviceDetail().schedule.map((frame) => {
    const part = active.find(({ number }) => number === frame.number);
    return part ? { ...frame, active: true, ...part } : frame;
  });
}

const WEEKDAYS = { number: 3, dayOfTheWeek: 9, intensity: 25, startHour: 6, stopHour: 11, stopMinute: 59 };
const WEEKEND = { number: 7, dayOfTheWeek: 8, intensity: 50, startHour: 18, stopHour: 23, stopMinute: 59 };

/** The bars of a day: text, position, intensity class, and whether they are marked. */
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

test('frames are at their days and hours, with number and intensity, and the running one is marked on its day', async () => {
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

test('without a time zone the running frame is marked on all its days', async () => {
  const schedule = scheduleOf(WEEKEND);
  const block = await open({ mode: 4, schedule, shownIntensity: { value: 50, schedule: 7 }, timeZone: null });
  expect([6, 7].map((day) => bars(block, day)[0]?.at(-1))).toEqual(['true', 'true']);
});

test('a list describes the same frames as text', async () => {
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

// In Chicago it is Tuesday, 8 PM.
const EVENING = { number: 2, dayOfTheWeek: 0, intensity: 25, startHour: 19, stopHour: 21, stopMinute: 59 };
const OWN = { value: 48, schedule: null };
const INSIDE = { schedule: scheduleOf(EVENING), shownIntensity: { value: 25, schedule: 2 } };
const OUTSIDE = { schedule: scheduleOf(WEEKDAYS), shownIntensity: OWN };
const NONE = { schedule: scheduleOf(), shownIntensity: OWN };
const EMPTY = { fragranceRemaining: 0 };
const OFFLINE = { connectionStatus: 'Offline' } as const;
const NEVER = {
  ...OFFLINE,
  neverConnected: true,
  lastSeenAt: null,
  mode: null,
  intensity: null,
  shownIntensity: { value: null, schedule: null },
};

/** What is said of the intensity now, of the mode, and whether both are drawn as unknown. */
const STATES: [string, Partial<DeviceDetail>, intensity: string, mode: string, isHatched: boolean][] = [
  ['24/7', { ...NONE, mode: 3 }, 'Intensity now: 48', 'On24/7', false],
  ['24/7, empty', { ...NONE, ...EMPTY, mode: 3 }, 'Intensity set: 48', 'On24/7', false],
  ['24/7 with a schedule', { ...OUTSIDE, mode: 3 }, 'Intensity now: 48', 'On24/7', false],
  ['off', { ...NONE, mode: 1 }, 'Intensity set: 48', 'Off', false],
  ['mode 2', { ...NONE, mode: 2 }, 'Intensity set: 48', 'OffMode 2', false],
  ['mode unknown', { ...NONE, mode: null }, 'Intensity set: 48', 'Unknown', false],
  ['Run, inside', { ...INSIDE, mode: 4 }, 'Intensity now: 25 (Schedule 2)', 'OnRun · Schedule 2: All Days', false],
  [
    'Run, inside, empty',
    { ...INSIDE, ...EMPTY, mode: 4 },
    'Intensity set: 25 (Schedule 2)',
    'OnRun · Schedule 2',
    false,
  ],
  ['Run, outside', { ...OUTSIDE, mode: 4 }, 'Paused now', 'OnRun · paused', false],
  ['Run, outside, empty', { ...OUTSIDE, ...EMPTY, mode: 4 }, 'Paused now', 'OnRun · paused', false],
  ['Run, no schedule', { ...NONE, mode: 4 }, 'Paused now', 'OnRun · paused', false],
  ['offline, 24/7', { ...NONE, ...OFFLINE, mode: 3 }, 'Last known intensity: 48', '24/7last known', true],
  [
    'offline, 24/7, empty',
    { ...NONE, ...OFFLINE, ...EMPTY, mode: 3 },
    'Last known intensity: 48',
    '24/7last known',
    true,
  ],
  ['offline, off', { ...NONE, ...OFFLINE, mode: 1 }, 'Last known intensity: 48', 'Offlast known', true],
  ['offline, mode 2', { ...NONE, ...OFFLINE, mode: 2 }, 'Last known intensity: 48', 'Mode 2last known', true],
  ['offline, Run, inside', { ...INSIDE, ...OFFLINE, mode: 4 }, 'Planned now: 25 (Schedule 2)', 'Runlast known', true],
  [
    'offline, Run, inside, empty',
    { ...INSIDE, ...OFFLINE, ...EMPTY, mode: 4 },
    'Planned now: 25',
    'Runlast known',
    true,
  ],
  ['offline, Run, outside', { ...OUTSIDE, ...OFFLINE, mode: 4 }, 'Planned now: paused', 'Runlast known', true],
  ['offline, Run, no schedule', { ...NONE, ...OFFLINE, mode: 4 }, 'Last known intensity: 48', 'Runlast known', true],
  ['never connected', { ...NONE, ...NEVER }, 'Intensity: Unknown', 'Unknown', false],
  ['never connected, inside', { ...INSIDE, ...NEVER }, 'Intensity: Unknown', 'Unknown', false],
];

test.each(STATES)('only what is known is said of a device: %s', async (_, part, intensity, mode, isHatched) => {
  const block = await open({ timeZone: 'America/Chicago', ...part });
  const head = within(block).getByText(/^(Intensity( now| set)?:|Paused now|Planned now:|Last known)/);
  expect(head).toHaveTextContent(intensity);
  const product = within(screen.getByRole('region', { name: 'Product' }));
  const [shownIntensity, shownMode] = ['Intensity', 'Mode'].map(
    (label) => product.getByText(label, { selector: 'dt' }).nextElementSibling?.firstElementChild as HTMLElement,
  );
  expect(shownMode?.textContent?.startsWith(mode)).toBe(true);
  expect([shownIntensity, shownMode].map((value) => value?.dataset.unknown)).toEqual([`${isHatched}`, `${isHatched}`]);
  // 'Now' is said of nothing else.
  const isKnown = intensity.startsWith('Intensity now');
  expect(screen.queryAllByText(/\bnow: \d/).filter((one) => !one.textContent?.startsWith('Planned'))).toHaveLength(
    isKnown ? 1 : 0,
  );
});

test('the local time of the device is shown', async () => {
  const block = await open({ schedule: scheduleOf(WEEKDAYS), timeZone: 'America/Chicago' });
  const line = within(block).getByTitle('Now');
  expect(line.closest('[data-day]')).toHaveAttribute('data-day', '2');
  expect(line.style.getPropertyValue('--from')).toBe(String(20 / 24));
});

test('without a time zone no local time is shown', async () => {
  const block = await open({ schedule: scheduleOf(WEEKDAYS), timeZone: null });
  expect(within(block).queryByTitle('Now')).not.toBeInTheDocument();
});

const LATE = { number: 2, dayOfTheWeek: 0, startHour: 19, stopHour: 21, stopMinute: 59 };

test.each<[string, ScheduleFrame[], Partial<DeviceDetail>, string | undefined]>([
  [
    'until when one runs',
    scheduleOf(WEEKDAYS, LATE),
    { shownIntensity: { value: 1, schedule: 2 } },
    'In Schedule 2 until 9:59 PM',
  ],
  ['when the next one starts', scheduleOf(WEEKDAYS), {}, 'Outside schedule; next Wednesday 6:00 AM'],
  ['when one starts today', scheduleOf({ ...LATE, startHour: 21 }), {}, 'Outside schedule; next today 9:00 PM'],
  ['nothing where device and clock disagree', scheduleOf(LATE), {}, undefined],
  [
    'nothing where the device is behind',
    scheduleOf(WEEKDAYS),
    { shownIntensity: { value: 1, schedule: 3 } },
    undefined,
  ],
  ['nothing in another mode', scheduleOf(WEEKDAYS), { mode: 3 }, undefined],
  ['nothing without a time zone', scheduleOf(WEEKDAYS), { timeZone: null }, undefined],
])('in Run mode the head says %s', async (_, schedule, part, text) => {
  const device = { mode: 4, shownIntensity: { value: 48, schedule: null }, timeZone: 'America/Chicago' };
  const block = await open({ ...device, schedule, ...part });
  const state = within(block).queryByText(/^(Outside|In) /i, { selector: 'p > span' });
  expect(state?.textContent?.replaceAll('\u202f', ' ')).toBe(text);
});

test.each<[string, Partial<DeviceDetail>, boolean]>([
  ['is off', { mode: 1 }, true],
  ['is in Run mode', { mode: 4 }, false],
  ['has no active schedule', { mode: 3, schedule: scheduleOf() }, false],
  ['may not be changed', { mode: 3, can: { edit: false, copy: false, resetLevel: false } }, false],
  [
    'is offline, with Run requested',
    { mode: 4, connectionStatus: 'Offline', commands: { mode: requestedRun() } },
    false,
  ],
])('a device that %s offers to switch to Run: %o', async (_, part, offers) => {
  const block = await open({ schedule: scheduleOf(WEEKDAYS), ...part });
  expect(within(block).queryAllByRole('button', { name: 'Switch to Run' })).toHaveLength(offers ? 1 : 0);
});

function requestedRun() {
  const sentAt = NOW.toISOString();
  return { state: 'pending' as const, sentAt, answeredAt: null, expiresAt: null, reported: 3, value: 4 };
}

test('without an active frame there is no chart, and a pending schedule is marked', async () => {
  const sentAt = NOW.toISOString();
  const schedule = { state: 'pending', sentAt, answeredAt: null, expiresAt: null } as const;
  const block = await open({ commands: { schedule } });
  expect(within(block).getByText('No schedule is active.')).toBeVisible();
  expect(within(block).queryByRole('img')).not.toBeInTheDocument();
  expect(within(block).getByRole('status')).toHaveTextContent(/^Pending since /);
});
