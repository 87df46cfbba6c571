import { expect, test } from '../harness/fixtures';
import { DEVICES } from '../harness/guard';
import { at, claim, MORNING, openSchedule, SUNDAY, setSchedule, stored, WEEK } from '../harness/schedules';
import { DeviceScreen } from '../screens/device-page';
import { alert } from '../screens/shell';

test.use({ world: 'schedules' });

const WRITES = /^POST .*\/apiv1\/dsns\/[^/]+\/properties\/schedule_blob\/datapoints/;

test('a failed save shows the reason and keeps the draft', async ({ open, people, fleet, system, guard }) => {
  guard.expect(502, DEVICES);
  const { dsn } = claim(fleet);
  const api = await people.api('admin');
  await setSchedule(api, dsn, WEEK);
  const page = await open('admin');
  const screen = await openSchedule(page, dsn);
  const dialog = await screen.edit(3);
  await dialog.enable(false);
  await dialog.done.click();
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

test('unsaved changes are not lost by accident', async ({ open, people, fleet }) => {
  const { dsn } = claim(fleet);
  await setSchedule(await people.api('admin'), dsn, WEEK);
  const page = await open('admin');
  await page.goto(`/devices/${dsn}`);
  await expect(new DeviceScreen(page).heading).toBeVisible();
  const screen = await openSchedule(page, dsn);
  const dialog = await screen.edit(3);
  await dialog.enable(false);
  await page.keyboard.press('Escape');
  await screen.leave.getByRole('button', { name: 'Stay' }).click();
  await expect(screen.leave).toBeHidden();
  await dialog.done.click();
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

test('events are shown but do not overwrite edits', async ({ open, people, fleet }) => {
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
  await dialog.done.click();
  await expect(dialog.root).toBeHidden();

  const notice = page.getByText('Schedule 1 was changed on the device after you began. You can choose when you save.');
  await setSchedule(api, dsn, { ...WEEK, 3: { ...SUNDAY, intensity: 13 } });
  await expect(screen.rows.nth(2)).toContainText('13');
  await expect(notice).toBeHidden();
  await setSchedule(api, dsn, { ...WEEK, 1: { ...MORNING, intensity: 22 }, 3: { ...SUNDAY, intensity: 13 } });
  await expect(notice).toBeVisible();
  expect((await screen.row(1))[5]).toBe('21');
  await screen.save.click();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  expect(await stored(api, dsn, 1)).toMatchObject({ intensity: 21 });
  expect(await stored(api, dsn, 3)).toMatchObject({ intensity: 13 });
});

test('saving lowers intensities above the maximum of the off-cycle, which the page announces before', async ({
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
