import type { Page } from '@playwright/test';
import { expect, test } from '../harness/fixtures';
import { readDevice } from '../harness/fleet';
import { DEVICES } from '../harness/guard';
import {
  claim,
  EVENING,
  MORNING,
  openSchedule,
  type Part,
  put,
  SUNDAY,
  schedule,
  setSchedule,
  stored,
  WEEK,
} from '../harness/schedules';
import type { ScheduleScreen } from '../screens/schedule-page';
import { alert } from '../screens/shell';

test.use({ world: 'schedules' });

test.describe('on a time conflict', () => {
  /** Saves a schedule in the dialog that overlaps with 1 and 2. */
  async function saveOverlapping(page: Page, dsn: string): Promise<ScheduleScreen> {
    const screen = await openSchedule(page, dsn);
    const dialog = await screen.edit(5);
    await dialog.enable(true);
    await dialog.chooseDays('Friday');
    // Overlaps with the last two minutes of 1 and the first two of 2.
    await dialog.enter('Start Time', '11:58 AM');
    await dialog.enter('End Time', '6:01 PM');
    await dialog.intensity.fill('12');
    await dialog.done.click();
    await expect(screen.conflicts.root).toBeVisible();
    const others = (await screen.conflicts.others.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    expect(others).toEqual(['Schedule 1 Weekdays, 6:00 AM – 11:59 AM', 'Schedule 2 Weekdays, 6:00 PM – 11:59 PM']);
    return screen;
  }

  test('the conflicting schedules are disabled and this one is enabled', async ({ open, people, fleet }) => {
    const { dsn } = claim(fleet);
    const api = await people.api('admin');
    await setSchedule(api, dsn, WEEK);
    const page = await open('admin');
    const screen = await saveOverlapping(page, dsn);
    await screen.conflicts.disableOthers.click();
    await expect(screen.dialog.root).toBeHidden();
    expect(await screen.bars(5)).toEqual(['5']);
    expect(await stored(api, dsn, 1)).toMatchObject({ active: true });
    await screen.save.click();
    await expect(page).toHaveURL(`/devices/${dsn}`);
    const friday = { dayOfTheWeek: 5, intensity: 12, startHour: 11, startMinute: 58, stopHour: 18, stopMinute: 1 };
    const wanted = schedule({
      1: { ...MORNING, active: false },
      2: { ...EVENING, active: false },
      3: SUNDAY,
      5: { active: true, ...friday },
    });
    expect((await readDevice(api, dsn)).schedule).toEqual(wanted);
  });

  test('this one is saved, but left disabled', async ({ open, people, fleet }) => {
    const { dsn } = claim(fleet);
    const api = await people.api('admin');
    await setSchedule(api, dsn, WEEK);
    const page = await open('admin');
    const screen = await saveOverlapping(page, dsn);
    await screen.conflicts.saveDisabled.click();
    await expect(screen.dialog.root).toBeHidden();
    expect(await screen.row(5)).toEqual(['5', 'Disabled Changed', 'Friday', '11:58 AM', '6:01 PM', '12']);
    await screen.save.click();
    await expect(page).toHaveURL(`/devices/${dsn}`);
    const friday = { dayOfTheWeek: 5, intensity: 12, startHour: 11, startMinute: 58, stopHour: 18, stopMinute: 1 };
    expect((await readDevice(api, dsn)).schedule).toEqual(schedule({ ...WEEK, 5: { active: false, ...friday } }));
  });

  test('Cancel returns to the editor with the entered values and changes nothing', async ({ open, people, fleet }) => {
    const { dsn } = claim(fleet);
    await setSchedule(await people.api('admin'), dsn, WEEK);
    const page = await open('admin');
    const { conflicts, dialog, ...screen } = await saveOverlapping(page, dsn);
    for (const leave of [() => conflicts.cancel.click(), () => page.keyboard.press('Escape')]) {
      await leave();
      await expect(conflicts.root).toBeHidden();
      await expect(dialog.root).toBeVisible();
      await expect(dialog.enabled).toBeChecked();
      await expect(dialog.days).toHaveValue('Friday');
      await expect(dialog.time('Start Time')).toHaveValue('11:58');
      await expect(dialog.time('End Time')).toHaveValue('6:01');
      await expect(dialog.intensity).toHaveValue('12');
      for (const field of ['Start Time', 'End Time'] as const)
        await expect(dialog.time(field)).toHaveAccessibleDescription('Time Conflicts');
      await dialog.done.click();
      await expect(conflicts.root).toBeVisible();
    }
    await conflicts.cancel.click();
    await dialog.cancel.click();
    await expect(dialog.root).toBeHidden();
    await expect(screen.table.getByText('Changed')).toHaveCount(0);
  });

  test('a disabled schedule has no conflicts', async ({ open, people, fleet }) => {
    const { dsn } = claim(fleet);
    await setSchedule(await people.api('admin'), dsn, WEEK);
    const screen = await openSchedule(await open('admin'), dsn);
    const dialog = await screen.edit(5);
    await dialog.chooseDays('Friday');
    await dialog.enter('Start Time', '7:00 AM');
    await dialog.enter('End Time', '8:00 AM');
    await dialog.done.click();
    await expect(dialog.root).toBeHidden();
    expect(await screen.row(5)).toEqual(['5', 'Disabled Changed', 'Friday', '7:00 AM', '8:00 AM', '1']);
  });
});

test('noon, adjacent blocks, a split, a night and several days are entered without a trap', async ({
  open,
  people,
  fleet,
}) => {
  const { dsn } = claim(fleet);
  const api = await people.api('admin');
  const day: Part = { active: true, dayOfTheWeek: 9, intensity: 20, startHour: 8, startMinute: 30, stopHour: 18 };
  await setSchedule(api, dsn, { 1: day });
  const page = await open('admin');
  const screen = await openSchedule(page, dsn);
  const { dialog, conflicts } = screen;

  // 12 is noon, and what runs around it is split.
  await screen.edit(2);
  await dialog.enable(true);
  await dialog.chooseDays('Weekdays');
  await dialog.time('Start Time').fill('12');
  await expect(dialog.half('Start Time', 'PM')).toBeChecked();
  await dialog.enter('End Time', '2:00 PM');
  await dialog.done.click();
  const first = conflicts.root.locator('button:not([aria-label])').first();
  await expect(first).toHaveText('Split Schedule 1 around it');
  await first.click();
  await expect(dialog.root).toBeHidden();
  expect(await screen.row(1)).toEqual(['1', 'Enabled Changed', 'Weekdays', '8:30 AM', '11:59 AM', '20']);
  expect(await screen.row(3)).toEqual(['3', 'Enabled Changed', 'Weekdays', '2:01 PM', '6:00 PM', '20']);

  // Several days are one entry. It begins when another one ends, which is no conflict.
  await screen.edit(4);
  await dialog.enable(true);
  for (const name of ['Tuesday', 'Thursday', 'Saturday', 'Sunday'])
    await dialog.day(name).setChecked(false, { force: true });
  await dialog.enter('Start Time', '6:00 PM');
  await dialog.enter('End Time', '8:00 PM');
  await dialog.done.click();
  await expect(dialog.root).toBeHidden();
  for (const day of [1, 3, 5]) expect(await screen.bars(day)).toHaveLength(4);
  for (const day of [2, 4]) expect(await screen.bars(day)).toHaveLength(3);

  // A night is split by one button.
  await screen.edit(7);
  await dialog.enable(true);
  await dialog.chooseDays('Saturday');
  await dialog.enter('Start Time', '10:00 PM');
  await dialog.enter('End Time', '2:00 AM');
  await dialog.done.click();
  for (const field of ['Start Time', 'End Time'] as const)
    await expect(dialog.time(field)).toHaveAccessibleDescription('Start Time must preceed End Time');
  await dialog.splitAtMidnight.click();
  await expect(dialog.root).toBeHidden();

  await screen.save.click();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  const evening: Part = { active: true, startHour: 18, stopHour: 20 };
  const wanted = schedule({
    1: { ...day, stopHour: 11, stopMinute: 59 },
    2: { active: true, dayOfTheWeek: 9, startHour: 12, stopHour: 14 },
    3: { ...day, startHour: 14, startMinute: 1, stopHour: 17, stopMinute: 59 },
    4: { ...evening, dayOfTheWeek: 1 },
    5: { ...evening, dayOfTheWeek: 3 },
    6: { ...evening, dayOfTheWeek: 5 },
    7: { active: true, dayOfTheWeek: 6, startHour: 22, stopHour: 23, stopMinute: 59 },
    8: { active: true, dayOfTheWeek: 7, stopHour: 2 },
  });
  expect((await readDevice(api, dsn)).schedule).toEqual(wanted);
});

test('invalid times and a start after the end are refused by page and server', async ({ open, people, fleet }) => {
  const { dsn } = claim(fleet);
  const api = await people.api('admin');
  await setSchedule(api, dsn, WEEK);
  const screen = await openSchedule(await open('admin'), dsn);
  const dialog = await screen.edit(1);
  for (const [start, stop, startError, stopError] of [
    ['', '9:00 AM', 'Invalid Time', ''],
    ['9:00 AM', '25:00', '', 'Invalid Time'],
    ['8:60 AM', '', 'Invalid Time', 'Invalid Time'],
    ['9:01 AM', '9:00 AM', 'Start Time must preceed End Time', 'Start Time must preceed End Time'],
    ['10:00 PM', '6:00 AM', 'Start Time must preceed End Time', 'Start Time must preceed End Time'],
  ] as const) {
    await dialog.enter('Start Time', start);
    await dialog.enter('End Time', stop);
    await dialog.done.click();
    await expect(dialog.time('Start Time')).toHaveAccessibleDescription(startError);
    await expect(dialog.time('End Time')).toHaveAccessibleDescription(stopError);
    await expect(dialog.time(startError ? 'Start Time' : 'End Time')).toBeFocused();
  }
  // Equal start and end are valid: the schedule runs for one minute.
  await dialog.enter('Start Time', '9:00 AM');
  await dialog.enter('End Time', '9:00 AM');
  await dialog.done.click();
  await expect(dialog.root).toBeHidden();

  const backwards = ['Start Time must preceed End Time'];
  for (const [part, errors] of [
    [{ startHour: 25 }, { '1.start': ['Invalid Time'] }],
    [{ stopMinute: 60 }, { '1.stop': ['Invalid Time'] }],
    [
      { startHour: 9, stopHour: 8 },
      { '1.start': backwards, '1.stop': backwards },
    ],
  ] as const) {
    const answer = await put(api, dsn, schedule({ ...WEEK, 1: { ...MORNING, ...part } }));
    expect(answer.status()).toBe(422);
    expect((await answer.json()).errors).toEqual(errors);
  }
  expect((await put(api, dsn, [...schedule(WEEK), ...schedule(WEEK)])).status()).toBe(422);
  expect((await readDevice(api, dsn)).schedule).toEqual(schedule(WEEK));
});

test('server errors are shown at their schedule', async ({ open, people, fleet, guard }) => {
  guard.expect(422, DEVICES);
  const { dsn } = claim(fleet);
  await setSchedule(await people.api('admin'), dsn, WEEK);
  const page = await open('admin');
  const screen = await openSchedule(page, dsn);
  // Simulates a page with weaker validation than the server.
  const frames = schedule(WEEK).map((frame) => ({ ...frame, intensity: 51 }));
  await page.route(/\/schedule$/, (route) => route.continue({ postData: { frames } }));
  await screen.save.click();
  await expect(alert(page, /^Failed to update device\. .+/)).toBeVisible();
  await expect(screen.editButton(1)).toBeFocused();
  expect((await screen.row(21))[1]).toMatch(/^Disabled Intensity must be between 1 and \d+$/);
});
