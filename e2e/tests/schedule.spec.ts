import { expectAccessibleInBothSchemes } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { readDevice } from '../harness/fleet';
import { DEVICES } from '../harness/guard';
import {
  at,
  claim,
  expectAcknowledged,
  openSchedule,
  put,
  schedule,
  setSchedule,
  stored,
  WEEK,
} from '../harness/schedules';
import { DeviceScreen } from '../screens/device-page';
import { ScheduleScreen } from '../screens/schedule-page';
import { alert } from '../screens/shell';
import { DESK, PHONE } from '../screens/sizes';

test.use({ world: 'schedules' });

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
  await expect(screen.rows).toHaveCount(3);
  await screen.showAll.click();
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

test('the week on the device page links to the schedule and back', async ({ open, people, fleet }) => {
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
  await dialog.done.click();
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
    await dialog.done.click();
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
  test(`a technician ${name} changes a schedule, which the cloud stores and the device applies`, async ({
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
    await expect(dialog.done).toBeInViewport();
    await dialog.done.click();
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
    await expectAcknowledged(api, dsn);
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
    await dialog.done.click();
    await expect(dialog.root).toBeHidden();
    expect((await screen.row(3))[1]).toBe(active ? 'Enabled Changed' : 'Disabled Changed');
    expect(await screen.bars(7)).toEqual(active ? ['3'] : []);
    await screen.save.click();
    await expect(page).toHaveURL(`/devices/${dsn}`);
    expect(await stored(api, dsn, 3)).toEqual({ ...schedule(WEEK)[2], active });
  }
});

test('the keyboard is enough to change a schedule', async ({ open, people, fleet }) => {
  const { dsn } = claim(fleet);
  const api = await people.api('admin');
  await setSchedule(api, dsn, WEEK);
  const page = await open('admin');
  const screen = await openSchedule(page, dsn);
  const { keyboard } = page;
  await screen.showAll.focus();
  await keyboard.press('Enter');
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
  await expect(screen.dialog.day('Monday')).toBeFocused();
  await expect(screen.dialog.day('Monday')).toBeChecked();
  for (let day = 1; day <= 7; day += 1) await keyboard.press('Tab');
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
  // The frame overlaps with the second one.
  await expect(screen.conflicts.root).toBeVisible();
  await keyboard.press('Escape');
  await expect(screen.conflicts.root).toBeHidden();
  await expect(screen.dialog.root).toBeVisible();
  await keyboard.press('Escape');
  await expect(screen.leave.getByRole('button', { name: 'Stay' })).toBeFocused();
  await keyboard.press('Shift+Tab');
  await keyboard.press('Enter');
  await expect(screen.dialog.root).toBeHidden();
  await expect(screen.editButton(4)).toBeFocused();
});

for (const size of [PHONE, DESK]) {
  test(`dialogs and faults are accessible at ${size.viewport.width} px, light and dark`, async ({
    open,
    people,
    fleet,
  }) => {
    const { dsn } = claim(fleet);
    await setSchedule(await people.api('admin'), dsn, WEEK);
    const page = await open('admin', size);
    const screen = await openSchedule(page, dsn);
    const dialog = await screen.edit(1);
    await expect(dialog.done).toBeVisible();
    await expectAccessibleInBothSchemes(page, 'dialog of a schedule');
    await dialog.enter('Start Time', '25:00');
    await dialog.done.click();
    await expectAccessibleInBothSchemes(page, 'dialog of a schedule with errors');
    await dialog.enter('Start Time', '6:00 AM');
    await dialog.enter('End Time', '7:00 PM');
    await dialog.done.click();
    await expect(screen.conflicts.root).toBeVisible();
    await expectAccessibleInBothSchemes(page, 'time conflicts');
    await screen.conflicts.disableOthers.click();
    await expect(dialog.root).toBeHidden();
    await expectAccessibleInBothSchemes(page, 'a changed schedule');
    await screen.cancel.click();
    await expect(screen.leave).toBeVisible();
  });
}

test('users who may not edit see the week but cannot change it', async ({ open, people, fleet }) => {
  const { dsn } = claim(fleet);
  await setSchedule(await people.api('admin'), dsn, WEEK);
  for (const person of ['observer', 'cspObserver'] as const) {
    for (const size of [DESK, PHONE]) {
      const page = await open(person, size);
      const screen = await openSchedule(page, dsn);
      await expect(page.getByText('You can view this device but not change it.')).toBeVisible();
      expect(await screen.bars(7)).toEqual(['3']);
      await expect(screen.addTime).toBeDisabled();
      await screen.showAll.click();
      await expect(screen.editButtons).toHaveCount(21);
      for (const button of await screen.editButtons.all()) await expect(button).toBeDisabled();
      await expect(screen.save).toBeDisabled();
    }
    expect((await put(await people.api(person), dsn, schedule(WEEK))).status()).toBe(403);
  }
});

test('the schedule of a device of another CSP is not found and not changed', async ({ open, people, fleet, guard }) => {
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
