import { csvRecords } from '../harness/csv';
import { Diffuser } from '../harness/diffuser';
import { expect, test } from '../harness/fixtures';
import { readDevice, readNotifications } from '../harness/fleet';
import { CopyScreen } from '../screens/copy-page';
import { CspFormScreen, CspListScreen } from '../screens/csps';
import { DeviceFormScreen } from '../screens/device-form';
import { DeviceListScreen } from '../screens/device-list';
import { DeviceScreen } from '../screens/device-page';
import { NotificationsBlock } from '../screens/notifications';
import { ReportDialog } from '../screens/report-dialog';
import { ScheduleScreen } from '../screens/schedule-page';
import { alert } from '../screens/shell';
import { SignInScreen } from '../screens/sign-in';
import { DESK } from '../screens/sizes';
import { UserFormScreen } from '../screens/user-form';
import { UserListScreen } from '../screens/user-list';

// Adds a CSP, a device and a person, and copies to another device.
test.use({ world: 'journey' });

const CSP = 'Lantern Street';

test('an administrator completes the whole journey, from the first sign-in to a report', async ({
  open,
  people,
  fleet,
  system,
}) => {
  const dsn = system.claimStock();
  const other = fleet.claim(({ csp }) => csp === 'Meridian Air').dsn;
  const page = await open(null, DESK);
  await page.goto('/signin');
  await new SignInScreen(page).signIn(people.account('admin'));
  const devices = new DeviceListScreen(page);
  const device = new DeviceScreen(page);

  await test.step('the devices are listed and filtered', async () => {
    await expect(devices.heading).toBeVisible();
    await devices.search.fill(other);
    await expect(devices.rows).toHaveCount(1);
    await expect(devices.row(other)).toBeVisible();
  });

  await test.step('a CSP is added and renamed', async () => {
    await page.goto('/csps');
    const list = new CspListScreen(page);
    const form = new CspFormScreen(page);
    await list.add.click();
    await form.name.fill('Lantern');
    await form.save.click();
    await list.nameFilter.fill('Lantern');
    await list.edit('Lantern').click();
    await form.name.fill(CSP);
    await form.save.click();
    await expect(list.row(CSP)).toBeVisible();
  });

  await test.step('a device is registered', async () => {
    await page.goto('/devices');
    await devices.addDevice.click();
    const form = new DeviceFormScreen(page);
    await form.fillIn();
    await form.choose('CSP', CSP);
    await form.text('DSN').fill(dsn);
    await form.save.click();
    await expect(alert(page, 'Successfully added device')).toBeVisible();
    await expect(page).toHaveURL(`/devices/${dsn}`);
  });

  const api = await people.api('admin');
  const diffuser = new Diffuser(system, await readDevice(api, dsn));
  try {
    diffuser.plugIn();
    await expect(device.product('Connection')).toContainText('Online');

    await test.step('it is set, and obeys', async () => {
      const dialog = await device.edit();
      await dialog.choose('Mode', 'Run');
      await dialog.intensity.fill('12');
      await dialog.choose('Off-cycle', 'Short (2 Min)');
      await dialog.choose('Fan Speed', '3');
      await dialog.save.click();
      await expect(alert(page, 'Successfully updated device settings')).toBeVisible();
      for (const value of ['Mode', 'Intensity', 'Off-cycle', 'Fan Speed'] as const)
        await expect(device.confirmed(value)).toBeVisible();
      expect(await readDevice(api, dsn)).toMatchObject({ mode: 4, intensity: 12, cycle: 2, fan: 3 });
    });
  } finally {
    await diffuser.pullOut();
  }

  await test.step('its schedule is edited', async () => {
    await device.editSchedule.click();
    await expect(page).toHaveURL(`/devices/${dsn}/edit/schedule`);
    const schedule = new ScheduleScreen(page);
    const dialog = await schedule.edit(1);
    await dialog.enable(true);
    await dialog.chooseDays('Weekdays');
    await dialog.enter('Start Time', '8:00 AM');
    await dialog.enter('End Time', '6:00 PM');
    await dialog.done.click();
    await schedule.save.click();
    await expect(alert(page, 'Successfully updated device schedule')).toBeVisible();
    await expect(page).toHaveURL(`/devices/${dsn}`);
    const { schedule: frames } = await readDevice(api, dsn);
    expect(frames[0]).toMatchObject({ active: true, dayOfTheWeek: 9, startHour: 8, stopHour: 18 });
  });

  await test.step('a recipient is notified', async () => {
    const block = new NotificationsBlock(page);
    await block.add.click();
    await block.dialog.choose(block.dialog.method, 'Email');
    await block.dialog.email.fill('jo@example.com');
    await block.dialog.event('Low Product Level').check();
    await block.dialog.save.click();
    await expect(alert(page, 'Successfully updated notification')).toBeVisible();
    await expect(block.edit('jo@example.com')).toBeVisible();
  });

  await test.step('its details are copied', async () => {
    await device.copy.click();
    await expect(page).toHaveURL(`/devices/${dsn}/copy`);
    const copy = new CopyScreen(page);
    for (const option of ['Schedules', 'Notifications'] as const) await copy.option(option).check();
    await copy.targets.search.fill(other);
    await expect(copy.targets.rows).toHaveCount(1);
    await copy.target(other).check();
    await copy.applyUnseen();
    await expect(alert(page, 'Successfully copied device')).toBeVisible();
    await expect(page).toHaveURL(`/devices/${dsn}`);
    const [source, target] = [await readDevice(api, dsn), await readDevice(api, other)];
    expect(target.scheduleBlob).toBe(source.scheduleBlob);
    const notifications = await readNotifications(api, other);
    expect(notifications.map(({ recipient }) => recipient)).toEqual(['jo@example.com']);
  });

  await test.step('somebody is invited, found and edited', async () => {
    await page.goto('/users');
    const list = new UserListScreen(page);
    await list.inviteUser.click();
    const form = new UserFormScreen(page);
    await form.fillIn('lamp@example.com');
    await form.choose('Role', 'CSP Technician');
    await form.choose('CSP', CSP);
    await form.invite.click();
    await expect(alert(page, 'Successfully invited user')).toBeVisible();
    await list.emailFilter.fill('lamp@');
    await list.row('lamp@example.com').getByRole('link').first().click();
    await form.text('City').fill('Bergen');
    await form.save.click();
    await expect(alert(page, 'Successfully updated user')).toBeVisible();
  });

  await test.step('a report lists the device', async () => {
    await page.goto(`/devices?csp=${encodeURIComponent(CSP)}`);
    await expect(devices.rows).toHaveCount(1);
    await expect(devices.row(dsn)).toBeVisible();
    const file = await new ReportDialog(page).save('CSV');
    const [header = [], ...rows] = await csvRecords(file);
    expect(rows.map((row) => row[header.indexOf('DSN')])).toEqual([dsn]);
  });
});
