import type { ScheduleFrame } from '../../web/src/api/schema.gen';
import { expect, test } from '../harness/fixtures';
import { readDevice } from '../harness/fleet';
import { DeviceScreen } from '../screens/device-page';
import { DESK, PHONE } from '../screens/sizes';

/** Tolerance for borders and rounding: three pixels of the shorter axis. */
const SLACK_HOURS = 0.15;

/** The days, Monday = 1, of each dayOfTheWeek of the specification. */
const DAYS = [[1, 2, 3, 4, 5, 6, 7], [1], [2], [3], [4], [5], [6], [7], [6, 7], [1, 2, 3, 4, 5]];

const WEEKDAYS = {
  active: true,
  dayOfTheWeek: 9,
  intensity: 12,
  startHour: 6,
  startMinute: 30,
  stopHour: 10,
  stopMinute: 0,
};
const EVENINGS = {
  active: true,
  dayOfTheWeek: 0,
  intensity: 31,
  startHour: 18,
  startMinute: 0,
  stopHour: 23,
  stopMinute: 59,
};
const WEEKEND = {
  active: true,
  dayOfTheWeek: 8,
  intensity: 40,
  startHour: 0,
  startMinute: 0,
  stopHour: 11,
  stopMinute: 59,
};
const TUESDAY = {
  active: true,
  dayOfTheWeek: 2,
  intensity: 5,
  startHour: 13,
  startMinute: 0,
  stopHour: 14,
  stopMinute: 59,
};
const INACTIVE = { ...TUESDAY, active: false, dayOfTheWeek: 4 };

/** 21 frames of which these are the first. */
function frames(...first: Omit<ScheduleFrame, 'number'>[]): ScheduleFrame[] {
  const none = { ...INACTIVE, dayOfTheWeek: 0, intensity: 1, startHour: 0, stopHour: 0, stopMinute: 0 };
  return Array.from({ length: 21 }, (_, place) => ({ number: place + 1, ...(first[place] ?? none) }));
}

test('frames sit at their days and hours, with number and intensity', async ({ open, people, fleet }) => {
  const { dsn } = fleet.claim(({ csp }) => csp === 'Meridian Air');
  const schedule = frames(WEEKDAYS, EVENINGS, INACTIVE, WEEKEND, TUESDAY);
  const api = await people.api('cspTech');
  expect((await api.put(`/api/devices/dsns/${dsn}/schedule`, { data: { frames: schedule } })).status()).toBe(200);

  for (const size of [DESK, PHONE]) {
    const page = await open('cspObserver', size);
    await page.goto(`/devices/${dsn}`);
    const screen = new DeviceScreen(page);
    for (const [day, texts] of [
      [1, ['1 12', '2 31']],
      [2, ['1 12', '5 5', '2 31']],
      [4, ['1 12', '2 31']],
      [6, ['4 40', '2 31']],
      [7, ['4 40', '2 31']],
    ] as const) {
      await expect(screen.bars(day)).toHaveText(texts);
    }
    for (const frame of schedule.filter(({ active }) => active)) {
      for (const day of DAYS[frame.dayOfTheWeek] ?? []) {
        const bar = screen.bars(day).filter({ hasText: `${frame.number} ${frame.intensity}` });
        const [from, to] = await screen.hoursOf(day, bar, size === PHONE ? 'down' : 'across');
        expect(Math.abs(from - (frame.startHour + frame.startMinute / 60)), `from, day ${day}`).toBeLessThan(
          SLACK_HOURS,
        );
        expect(Math.abs(to - (frame.stopHour + (frame.stopMinute + 1) / 60)), `to, day ${day}`).toBeLessThan(
          SLACK_HOURS,
        );
      }
    }
    const list = screen.schedule.getByRole('list', { name: 'Active schedules' }).getByRole('listitem');
    await expect(list).toHaveText([
      /^Schedule 1Intensity 12Weekdays, 6:30\sAM – 10:00\sAM/,
      /^Schedule 2Intensity 31All Days, 6:00\sPM – 11:59\sPM/,
      /^Schedule 4Intensity 40Weekend Days, 12:00\sAM – 11:59\sAM/,
      /^Schedule 5Intensity 5Tuesday, 1:00\sPM – 2:59\sPM/,
    ]);
  }
});

test('in Run mode the intensity is that of the running schedule, with its number', async ({ open, people, fleet }) => {
  const { dsn } = fleet.claim();
  const api = await people.api('admin');
  const always = { ...EVENINGS, startHour: 0, intensity: 23 };
  await api.put(`/api/devices/dsns/${dsn}/schedule`, { data: { frames: frames(INACTIVE, always) } });
  await api.put(`/api/devices/dsns/${dsn}/settings`, { data: { mode: 4, intensity: 11 } });
  const page = await open('observer');
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  await expect(screen.product('Intensity')).toContainText('23 (Schedule 2)');
  await expect(screen.schedule).toContainText('Intensity now: 23 (Schedule 2)');
  await expect(screen.schedule.getByRole('status')).toContainText('Confirmed');
  await expect(screen.schedule.getByRole('listitem')).toContainText('Runs now');
  await expect(screen.runningBars).toHaveCount(1);
  expect((await readDevice(api, dsn)).shownIntensity).toEqual({ value: 23, schedule: 2 });

  await api.put(`/api/devices/dsns/${dsn}/settings`, { data: { mode: 3 } });
  await expect(screen.schedule).toContainText('Intensity now: 11The schedule runs in Run mode only.');
  await expect(screen.product('Intensity')).toContainText(/^11/);
  await expect(screen.runningBars).toHaveCount(0);
});
