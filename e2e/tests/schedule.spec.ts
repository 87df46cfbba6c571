import type { APIRequestContext, Page } from '@playwright/test';
import type { DeviceView, ScheduleFrame } from '../../web/src/api/schema.gen';
import { missingFrame, readSchedule } from '../../web/src/lib/schedule-text';
import { expectAccessible } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { type Fleet, readDevice } from '../harness/fleet';
import { DeviceScreen } from '../screens/device-page';
import { ScheduleScreen } from '../screens/schedule-page';
import { DESK, PHONE } from '../screens/sizes';

const DEVICES = /^\/api\/devices(\/|$)/;
const WRITES = /^POST .*\/apiv1\/dsns\/[^/]+\/properties\/schedule_blob\/datapoints/;

type Part = Partial<Omit<ScheduleFrame, 'number'>>;

const MORNING: Part = { active: true, dayOfTheWeek: 9, intensity: 20, startHour: 6, stopHour: 11, stopMinute: 59 };
const EVENING: Part = { active: true, dayOfTheWeek: 9, intensity: 30, startHour: 18, stopHour: 23, stopMinute: 59 };
const SUNDAY: Part = { active: true, dayOfTheWeek: 7, intensity: 10, startHour: 9, stopHour: 17, stopMinute: 0 };
const WEEK: Record<number, Part> = { 1: MORNING, 2: EVENING, 3: SUNDAY };

let claimed: DeviceView | undefined;

/** One is enough: every test begins by giving it a schedule. */
function claim(fleet: Fleet): DeviceView {
  claimed ??= fleet.claim((device) => device.csp === 'Meridian Air' && device.systemConfiguration === 'AQ290');
  return claimed;
}

const at = (dsn: string) => `/devices/${dsn}/edit/schedule`;
const alert = (page: Page, text: string | RegExp) => page.getByRole('alert').filter({ hasText: text });

function schedule(parts: Record<number, Part>): ScheduleFrame[] {
  return Array.from({ length: 21 }, (_, place) => ({ ...missingFrame(place + 1), ...parts[place + 1] }));
}

function put(api: APIRequestContext, dsn: string, data: unknown) {
  return api.put(`/api/devices/dsns/${dsn}/schedule`, { data });
}

/** Gives the device this schedule, and waits until it has taken it. */
async function setSchedule(api: APIRequestContext, dsn: string, parts: Record<number, Part>): Promise<void> {
  expect((await put(api, dsn, schedule(parts))).status()).toBe(200);
  await expectObeyed(api, dsn);
}

async function expectObeyed(api: APIRequestContext, dsn: string): Promise<void> {
  await expect.poll(async () => (await readDevice(api, dsn)).commands.schedule?.state).toBe('acknowledged');
}

/** The frame in the string that the cloud has. */
async function stored(api: APIRequestContext, dsn: string, number: number): Promise<ScheduleFrame | undefined> {
  const { scheduleBlob } = await readDevice(api, dsn);
  return readSchedule(scheduleBlob ?? '').frames[number - 1];
}

async function openSchedule(page: Page, dsn: string): Promise<ScheduleScreen> {
  await page.goto(at(dsn));
  const screen = new ScheduleScreen(page);
  await expect(screen.save).toBeVisible();
  return screen;
}

test('the page shows the week as a chart and its 21 schedules as a table', async ({ open, people, fleet }) => {
  const { dsn, serialNumber } = claim(fleet);
  await setSchedule(await people.api('admin'), dsn, WEEK);
  const page = await open('admin');
  const screen = await openSchedule(page, dsn);
  await expect(screen.heading).toHaveText(`Edit schedule of ${serialNumber}`);
  await expect(page).toHaveTitle(`Sillage - Edit schedule of ${serialNumber}`);
  await expect(screen.chart).toBeVisible();
  for (const day of [1, 2, 3, 4, 5]) expect(await screen.bars(day)).toEqual(['1', '2']);
  expect(await screen.bars(6)).toEqual([]);
  expect(await screen.bars(7)).toEqual(['3']);

  const heads = await screen.table.getByRole('columnheader').allTextContents();
  expect(heads).toEqual(['Number', 'Status', 'Days', 'Start Time', 'End Time', 'Intensity', 'Edit']);
  await expect(screen.rows).toHaveCount(21);
  expect(await screen.row(1)).toEqual(['1', 'Enabled', 'Weekdays', '6:00 AM', '11:59 AM', '20']);
  expect(await screen.row(2)).toEqual(['2', 'Enabled', 'Weekdays', '6:00 PM', '11:59 PM', '30']);
  expect(await screen.row(3)).toEqual(['3', 'Enabled', 'Sunday', '9:00 AM', '5:00 PM', '10']);
  for (let number = 4; number <= 21; number += 1) {
    const unused = [String(number), 'Disabled', 'All Days', '12:00 AM', '12:00 AM', '1'];
    expect(await screen.row(number)).toEqual(unused);
    await expect(screen.editButton(number)).toBeEnabled();
  }
});

test('the week on the page of a device leads to its schedule, and that back', async ({ open, people, fleet }) => {
  const { dsn } = claim(fleet);
  const api = await people.api('admin');
  await setSchedule(api, dsn, WEEK);
  const page = await open('admin');
  await page.goto(`/devices/${dsn}`);
  const device = new DeviceScreen(page);
  await device.editSchedule.click();
  await expect(page).toHaveURL(at(dsn));
  const screen = new ScheduleScreen(page);
  const dialog = await screen.edit(3);
  await dialog.enable(false);
  await dialog.save.click();
  await expect(dialog.root).toBeHidden();
  await screen.save.click();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  await expect(device.editSchedule).toBeVisible();
  expect(await screen.bars(7)).toEqual([]);
  expect(await screen.bars(1)).toEqual(['1', '2']);
});

test('the dialog has a toggle, the days in their order, and a slider up to what the device allows', async ({
  open,
  people,
  fleet,
}) => {
  const { dsn } = claim(fleet);
  const { dsn: other } = fleet.claim(({ systemConfiguration }) => systemConfiguration !== 'AQ290');
  const api = await people.api('admin');
  const page = await open('admin');
  for (const [device, cycle, max] of [
    [dsn, 1, '49'],
    [dsn, 2, '45'],
    [dsn, 3, '40'],
    [other, 3, '50'],
  ] as const) {
    const settings = await api.put(`/api/devices/dsns/${device}/settings`, { data: { cycle, intensity: 9 } });
    expect(settings.status()).toBe(200);
    await setSchedule(api, device, WEEK);
    const screen = await openSchedule(page, device);
    const dialog = await screen.edit(1);
    await expect(dialog.enabled).toBeChecked();
    await expect(dialog.days).toHaveValue('Weekdays');
    await expect(dialog.intensity).toHaveValue('20');
    await expect(dialog.slider).toHaveAttribute('aria-valuemin', '1');
    await expect(dialog.slider).toHaveAttribute('aria-valuemax', max);
    await dialog.intensity.fill('99');
    await expect(dialog.slider).toHaveAttribute('aria-valuenow', max);
    await dialog.days.click();
    expect(await page.getByRole('option').allTextContents()).toEqual([
      'All Days',
      'Monday',
      'Tuesday',
      'Wednesday',
      'Thursday',
      'Friday',
      'Saturday',
      'Sunday',
      'Weekend Days',
      'Weekdays',
    ]);
  }
});

test('times have AM and PM: midnight, noon and the last minute of the day', async ({ open, people, fleet }) => {
  const { dsn } = claim(fleet);
  const api = await people.api('admin');
  await setSchedule(api, dsn, {});
  const page = await open('admin');
  const screen = await openSchedule(page, dsn);
  for (const [number, start, stop] of [
    [1, '12:00 AM', '11:59 AM'],
    [2, '12:00 PM', '11:59 PM'],
  ] as const) {
    const dialog = await screen.edit(number);
    await dialog.enable(true);
    await dialog.enter('Start Time', start);
    await dialog.enter('End Time', stop);
    await dialog.save.click();
    await expect(dialog.root).toBeHidden();
    expect((await screen.row(number)).slice(3, 5)).toEqual([start, stop]);
    await screen.edit(number);
    for (const [field, time] of [
      ['Start Time', start],
      ['End Time', stop],
    ] as const) {
      const [text = '', half = ''] = time.split(' ');
      await expect(dialog.time(field)).toHaveValue(text);
      await expect(dialog.half(field, half as 'AM' | 'PM')).toBeChecked();
    }
    await dialog.cancel.click();
    await expect(dialog.root).toBeHidden();
  }
  await screen.save.click();
  await expect(alert(page, 'Successfully updated device schedule')).toBeVisible();
  expect(await stored(api, dsn, 1)).toMatchObject({ startHour: 0, startMinute: 0, stopHour: 11, stopMinute: 59 });
  expect(await stored(api, dsn, 2)).toMatchObject({ startHour: 12, startMinute: 0, stopHour: 23, stopMinute: 59 });
});

for (const [name, size] of [
  ['at a desk', DESK],
  ['with a phone', PHONE],
] as const) {
  test(`a technician ${name} changes a schedule, which the cloud stores and the device takes`, async ({
    open,
    people,
    fleet,
  }) => {
    const { dsn } = claim(fleet);
    const api = await people.api('cspTech');
    await setSchedule(api, dsn, WEEK);
    const { scheduleBlob: before } = await readDevice(api, dsn);
    const page = await open('cspTech', size);
    const screen = await openSchedule(page, dsn);
    const dialog = await screen.edit(4);
    await dialog.enable(true);
    await dialog.chooseDays('Saturday');
    await dialog.enter('Start Time', '8:30 AM');
    await dialog.enter('End Time', '5:00 PM');
    await dialog.intensity.fill('17');
    await expect(dialog.save).toBeInViewport();
    await dialog.save.click();
    await expect(dialog.root).toBeHidden();
    expect(await screen.bars(6)).toEqual(['4']);
    expect((await readDevice(api, dsn)).scheduleBlob).toBe(before);

    await expect(screen.save).toBeInViewport();
    await screen.save.click();
    await expect(alert(page, 'Successfully updated device schedule')).toBeVisible();
    await expect(page).toHaveURL(`/devices/${dsn}`);
    await expect(new DeviceScreen(page).product('Mode')).toBeVisible();
    const frames = `${before}`.split(',');
    frames.splice(3 * 8, 8, '4', '1', '6', '17', '8', '30', '17', '0');
    expect((await readDevice(api, dsn)).scheduleBlob).toBe(frames.join(','));
    await expectObeyed(api, dsn);
    expect((await readDevice(api, dsn)).scheduleBlob).toBe(frames.join(','));
  });
}

test('the toggle makes a frame inactive, and active again', async ({ open, people, fleet }) => {
  const { dsn } = claim(fleet);
  const api = await people.api('admin');
  await setSchedule(api, dsn, WEEK);
  const page = await open('admin');
  for (const active of [false, true]) {
    const screen = await openSchedule(page, dsn);
    const dialog = await screen.edit(3);
    await dialog.enable(active);
    await dialog.save.click();
    await expect(dialog.root).toBeHidden();
    expect((await screen.row(3))[1]).toBe(active ? 'Enabled Changed' : 'Disabled Changed');
    expect(await screen.bars(7)).toEqual(active ? ['3'] : []);
    await screen.save.click();
    await expect(page).toHaveURL(`/devices/${dsn}`);
    expect(await stored(api, dsn, 3)).toEqual({ ...schedule(WEEK)[2], active });
  }
});

test.describe('on a time conflict', () => {
  /** A schedule in the dialog that meets 1 and 2, and its save. */
  async function provoke(page: Page, dsn: string): Promise<ScheduleScreen> {
    const screen = await openSchedule(page, dsn);
    const dialog = await screen.edit(5);
    await dialog.enable(true);
    await dialog.chooseDays('Friday');
    // The last minute of 1, and the first one of 2.
    await dialog.enter('Start Time', '11:59 AM');
    await dialog.enter('End Time', '6:00 PM');
    await dialog.intensity.fill('12');
    await dialog.save.click();
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
    const screen = await provoke(page, dsn);
    await screen.conflicts.disableOthers.click();
    await expect(screen.dialog.root).toBeHidden();
    expect(await screen.bars(5)).toEqual(['5']);
    expect(await stored(api, dsn, 1)).toMatchObject({ active: true });
    await screen.save.click();
    await expect(page).toHaveURL(`/devices/${dsn}`);
    const friday = { dayOfTheWeek: 5, intensity: 12, startHour: 11, startMinute: 59, stopHour: 18, stopMinute: 0 };
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
    const screen = await provoke(page, dsn);
    await screen.conflicts.saveDisabled.click();
    await expect(screen.dialog.root).toBeHidden();
    expect(await screen.row(5)).toEqual(['5', 'Disabled Changed', 'Friday', '11:59 AM', '6:00 PM', '12']);
    await screen.save.click();
    await expect(page).toHaveURL(`/devices/${dsn}`);
    const friday = { dayOfTheWeek: 5, intensity: 12, startHour: 11, startMinute: 59, stopHour: 18, stopMinute: 0 };
    expect((await readDevice(api, dsn)).schedule).toEqual(schedule({ ...WEEK, 5: { active: false, ...friday } }));
  });

  test('cancel leads back to the editor, with what was entered, and nothing is changed', async ({
    open,
    people,
    fleet,
  }) => {
    const { dsn } = claim(fleet);
    await setSchedule(await people.api('admin'), dsn, WEEK);
    const page = await open('admin');
    const { conflicts, dialog, ...screen } = await provoke(page, dsn);
    for (const leave of [() => conflicts.cancel.click(), () => page.keyboard.press('Escape')]) {
      await leave();
      await expect(conflicts.root).toBeHidden();
      await expect(dialog.root).toBeVisible();
      await expect(dialog.enabled).toBeChecked();
      await expect(dialog.days).toHaveValue('Friday');
      await expect(dialog.time('Start Time')).toHaveValue('11:59');
      await expect(dialog.time('End Time')).toHaveValue('6:00');
      await expect(dialog.intensity).toHaveValue('12');
      for (const field of ['Start Time', 'End Time'] as const)
        await expect(dialog.time(field)).toHaveAccessibleDescription('Time Conflicts');
      await dialog.save.click();
      await expect(conflicts.root).toBeVisible();
    }
    await conflicts.cancel.click();
    await dialog.cancel.click();
    await expect(dialog.root).toBeHidden();
    await expect(screen.table.getByText('Changed')).toHaveCount(0);
  });

  test('a schedule that is disabled conflicts with nothing', async ({ open, people, fleet }) => {
    const { dsn } = claim(fleet);
    await setSchedule(await people.api('admin'), dsn, WEEK);
    const screen = await openSchedule(await open('admin'), dsn);
    const dialog = await screen.edit(5);
    await dialog.chooseDays('Friday');
    await dialog.enter('Start Time', '7:00 AM');
    await dialog.enter('End Time', '8:00 AM');
    await dialog.save.click();
    await expect(dialog.root).toBeHidden();
    expect(await screen.row(5)).toEqual(['5', 'Disabled Changed', 'Friday', '7:00 AM', '8:00 AM', '1']);
  });
});

test('times that are none, and a start after the end, are refused by page and server', async ({
  open,
  people,
  fleet,
}) => {
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
    await dialog.save.click();
    await expect(dialog.time('Start Time')).toHaveAccessibleDescription(startError);
    await expect(dialog.time('End Time')).toHaveAccessibleDescription(stopError);
    await expect(dialog.time(startError ? 'Start Time' : 'End Time')).toBeFocused();
  }
  // To the minute the same is a minute.
  await dialog.enter('Start Time', '9:00 AM');
  await dialog.enter('End Time', '9:00 AM');
  await dialog.save.click();
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
  expect((await put(api, dsn, schedule(WEEK).slice(1))).status()).toBe(422);
  expect((await readDevice(api, dsn)).schedule).toEqual(schedule(WEEK));
});

test('a save that fails says why, and keeps the draft', async ({ open, people, fleet, system, guard }) => {
  guard.expect(502, DEVICES);
  const { dsn } = claim(fleet);
  const api = await people.api('admin');
  await setSchedule(api, dsn, WEEK);
  const page = await open('admin');
  const screen = await openSchedule(page, dsn);
  const dialog = await screen.edit(3);
  await dialog.enable(false);
  await dialog.save.click();
  await expect(dialog.root).toBeHidden();
  const mend = system.cloudProxy.fail({ match: WRITES, status: 500 });
  await screen.save.click();
  await expect(alert(page, /^Failed to update device\. .+/)).toBeVisible();
  await expect(page).toHaveURL(at(dsn));
  expect((await screen.row(3))[1]).toBe('Disabled Changed');
  mend();
  await screen.save.click();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  expect(await stored(api, dsn, 3)).toMatchObject({ active: false });
});

test('what the server refuses is said at its schedule', async ({ open, people, fleet, guard }) => {
  guard.expect(422, DEVICES);
  const { dsn } = claim(fleet);
  await setSchedule(await people.api('admin'), dsn, WEEK);
  const page = await open('admin');
  const screen = await openSchedule(page, dsn);
  // As if the page knew less than the server.
  await page.route(/\/schedule$/, (route) => {
    const frames: ScheduleFrame[] = route.request().postDataJSON();
    return route.continue({ postData: frames.map((frame) => ({ ...frame, intensity: 51 })) });
  });
  await screen.save.click();
  await expect(alert(page, /^Failed to update device\. .+/)).toBeVisible();
  await expect(screen.editButton(1)).toBeFocused();
  expect((await screen.row(21))[1]).toMatch(/^Disabled Intensity must be between 1 and \d+$/);
});

test('who may not edit sees the week, and can change nothing', async ({ open, people, fleet }) => {
  const { dsn } = claim(fleet);
  await setSchedule(await people.api('admin'), dsn, WEEK);
  for (const person of ['observer', 'cspObserver'] as const) {
    for (const size of [DESK, PHONE]) {
      const page = await open(person, size);
      const screen = await openSchedule(page, dsn);
      await expect(page.getByText('You can look at this device, but not change it.')).toBeVisible();
      expect(await screen.bars(7)).toEqual(['3']);
      await expect(screen.editButtons).toHaveCount(21);
      for (const button of await screen.editButtons.all()) await expect(button).toBeDisabled();
      await expect(screen.save).toBeDisabled();
    }
    expect((await put(await people.api(person), dsn, schedule(WEEK))).status()).toBe(403);
  }
});

test('a device of another CSP is not found, and not changed', async ({ open, people, fleet, guard }) => {
  guard.expect(404, DEVICES);
  const { dsn } = claim(fleet);
  const api = await people.api('admin');
  await setSchedule(api, dsn, WEEK);
  const page = await open('otherCspAdmin');
  await page.goto(at(dsn));
  await expect(new DeviceScreen(page).notFound).toBeVisible();
  expect((await put(await people.api('otherCspAdmin'), dsn, schedule({}))).status()).toBe(404);
  expect((await readDevice(api, dsn)).schedule).toEqual(schedule(WEEK));
});

test('what is unsaved is not lost by accident', async ({ open, people, fleet }) => {
  const { dsn } = claim(fleet);
  await setSchedule(await people.api('admin'), dsn, WEEK);
  const page = await open('admin');
  await page.goto(`/devices/${dsn}`);
  await expect(new DeviceScreen(page).heading).toBeVisible();
  const screen = await openSchedule(page, dsn);
  const dialog = await screen.edit(3);
  await dialog.enable(false);
  await dialog.save.click();
  await expect(dialog.root).toBeHidden();
  await screen.cancel.click();
  await expect(screen.leave).toBeVisible();
  await screen.leave.getByRole('button', { name: 'Stay' }).click();
  await expect(screen.leave).toBeHidden();
  await expect(page).toHaveURL(at(dsn));

  const asked = page.waitForEvent('dialog');
  const reloaded = page.reload();
  const question = await asked;
  expect(question.type()).toBe('beforeunload');
  await question.accept();
  await reloaded;
  await expect(screen.restored).toBeVisible();
  expect((await screen.row(3))[1]).toBe('Disabled Changed');
  await screen.discard.click();
  await expect(screen.restored).toBeHidden();
  expect((await screen.row(3))[1]).toBe('Enabled');
  await screen.cancel.click();
  await expect(page).toHaveURL(`/devices/${dsn}`);
});

test('what happens meanwhile is shown until one edits, and then does not overwrite what was edited', async ({
  open,
  people,
  fleet,
}) => {
  const { dsn } = claim(fleet);
  const api = await people.api('admin');
  await setSchedule(api, dsn, WEEK);
  const page = await open('admin');
  const screen = await openSchedule(page, dsn);
  await setSchedule(api, dsn, { ...WEEK, 3: { ...SUNDAY, intensity: 11 } });
  await expect(screen.rows.nth(2)).toContainText('11');

  const dialog = await screen.edit(1);
  await dialog.intensity.fill('21');
  await setSchedule(api, dsn, { ...WEEK, 3: { ...SUNDAY, intensity: 12 } });
  await expect(screen.rows.nth(2)).toContainText('12');
  await expect(dialog.intensity).toHaveValue('21');
  await dialog.save.click();
  await expect(dialog.root).toBeHidden();

  await setSchedule(api, dsn, { ...WEEK, 3: { ...SUNDAY, intensity: 13 } });
  const told = page.getByText('This schedule was changed on the device after you began.');
  await expect(told).toBeVisible();
  expect((await screen.row(1))[5]).toBe('21');
  expect((await screen.row(3))[5]).toBe('12');
  await screen.save.click();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  expect(await stored(api, dsn, 1)).toMatchObject({ intensity: 21 });
  expect(await stored(api, dsn, 3)).toMatchObject({ intensity: 12 });
});

test('intensities above what the off-cycle allows are lowered, as the page says before', async ({
  open,
  people,
  fleet,
}) => {
  const { dsn } = claim(fleet);
  const api = await people.api('admin');
  const settings = (data: object) => api.put(`/api/devices/dsns/${dsn}/settings`, { data });
  expect((await settings({ cycle: 1, intensity: 9 })).status()).toBe(200);
  await setSchedule(api, dsn, { ...WEEK, 3: { ...SUNDAY, intensity: 49 } });
  expect((await settings({ cycle: 3, intensity: 9 })).status()).toBe(200);
  const page = await open('admin');
  const screen = await openSchedule(page, dsn);
  await expect(
    page.getByText('The off-cycle of this device allows an intensity of at most 40. Saving lowers Schedule 3 to it.'),
  ).toBeVisible();
  expect((await screen.row(3))[5]).toBe('40');
  expect(await stored(api, dsn, 3)).toMatchObject({ intensity: 49 });
  await screen.save.click();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  expect(await stored(api, dsn, 3)).toMatchObject({ intensity: 40 });
});

test('the keyboard is enough to change a schedule', async ({ open, people, fleet }) => {
  const { dsn } = claim(fleet);
  const api = await people.api('admin');
  await setSchedule(api, dsn, WEEK);
  const page = await open('admin');
  const screen = await openSchedule(page, dsn);
  const { keyboard } = page;
  await screen.editButton(4).focus();
  await keyboard.press('Enter');
  await expect(screen.dialog.root).toBeVisible();
  await screen.dialog.enabled.focus();
  await keyboard.press('Space');
  await keyboard.press('Tab');
  await expect(screen.dialog.days).toBeFocused();
  await keyboard.press('ArrowDown');
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  await keyboard.press('Tab');
  await expect(screen.dialog.time('Start Time')).toBeFocused();
  await keyboard.type('830');
  await keyboard.press('Tab');
  await keyboard.press('ArrowRight');
  await keyboard.press('Tab');
  await keyboard.type('21.45');
  await keyboard.press('Tab');
  await expect(screen.dialog.half('Start Time', 'PM')).toBeChecked();
  await expect(screen.dialog.half('End Time', 'PM')).toBeChecked();
  await keyboard.press('Tab');
  await expect(screen.dialog.slider).toBeFocused();
  await keyboard.press('ArrowRight');
  await keyboard.press('Tab');
  await keyboard.press('Enter');
  // It meets the second one.
  await expect(screen.conflicts.root).toBeVisible();
  await keyboard.press('Escape');
  await expect(screen.conflicts.root).toBeHidden();
  await expect(screen.dialog.root).toBeVisible();
  await keyboard.press('Escape');
  await expect(screen.dialog.root).toBeHidden();
  await expect(screen.editButton(4)).toBeFocused();
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const size of [PHONE, DESK]) {
    test(`dialogs and faults are accessible at ${size.viewport.width} px, ${colorScheme}`, async ({
      open,
      people,
      fleet,
    }) => {
      const { dsn } = claim(fleet);
      await setSchedule(await people.api('admin'), dsn, WEEK);
      const page = await open('admin', { ...size, colorScheme });
      const screen = await openSchedule(page, dsn);
      const dialog = await screen.edit(1);
      await expect(dialog.save).toBeVisible();
      await expectAccessible(page, 'dialog of a schedule');
      await dialog.enter('Start Time', '25:00');
      await dialog.save.click();
      await expectAccessible(page, 'dialog of a schedule with errors');
      await dialog.enter('Start Time', '6:00 AM');
      await dialog.enter('End Time', '7:00 PM');
      await dialog.save.click();
      await expect(screen.conflicts.root).toBeVisible();
      await expectAccessible(page, 'time conflicts');
      await screen.conflicts.disableOthers.click();
      await expect(dialog.root).toBeHidden();
      await expectAccessible(page, 'a changed schedule');
      await screen.cancel.click();
      await expect(screen.leave).toBeVisible();
    });
  }
}
