import { expect, test } from '../harness/fixtures';
import { readDevice } from '../harness/fleet';
import { setSchedule } from '../harness/schedules';
import { DeviceScreen } from '../screens/device-page';
import { ScheduleScreen } from '../screens/schedule-page';
import { PHONE } from '../screens/sizes';

// Plugs in a diffuser that the demo does not simulate, and changes schedules.
test.use({ world: 'known-state' });

const ALWAYS = { active: true, dayOfTheWeek: 0, stopHour: 23, stopMinute: 59 };

test('where a schedule sets the intensity, the page leads to its entry, and says Confirmed of nothing else', async ({
  open,
  people,
  fleet,
}) => {
  const { dsn } = fleet.claim(({ csp, fragranceRemaining }) => csp === 'Meridian Air' && (fragranceRemaining ?? 0) > 0);
  const api = await people.api('admin');
  await setSchedule(api, dsn, { 2: { ...ALWAYS, intensity: 23 } });
  const settings = { mode: 4, cycle: 3, intensity: 11 };
  expect((await api.put(`/api/devices/dsns/${dsn}/settings`, { data: settings })).status()).toBe(200);
  const page = await open('cspTech', PHONE);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT') sent.push(new URL(request.url()).pathname.replace(/^.*\//, ''));
  });
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  const change = page.getByRole('link', { name: 'Change Schedule 2 (now 23)' });
  await expect(change).toBeVisible();
  await expect(screen.intensity).toHaveCount(0);
  await expect(screen.lower).toHaveCount(0);
  await expect(screen.raise).toHaveCount(0);
  // The device confirmed its own intensity, which has no effect now.
  await expect(screen.product('Intensity').getByRole('status')).toHaveText(/^Device intensity: Confirmed/);
  await screen.settings.tap();
  const dialog = page.getByRole('dialog', { name: 'Device Settings' });
  await expect(dialog).toContainText('No effect in Run mode: the schedule sets the intensity.');
  await dialog.getByRole('button', { name: 'Cancel' }).tap();

  await change.tap();
  const schedule = new ScheduleScreen(page);
  await expect(schedule.dialog.root).toHaveAccessibleName('Edit Schedule 2');
  await expect(schedule.dialog.intensity).toHaveValue('23');
  await schedule.dialog.intensity.fill('8');
  await schedule.dialog.done.tap();
  await schedule.save.tap();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  await expect(page.getByRole('link', { name: 'Change Schedule 2 (now 8)' })).toBeVisible();
  await expect(screen.schedule).toContainText('Intensity now: 8 (Schedule 2)');
  await expect(screen.schedule.getByRole('status')).toContainText('Confirmed');
  expect(sent).toEqual(['schedule']);
  expect(await readDevice(api, dsn)).toMatchObject({ intensity: 11, shownIntensity: { value: 8, schedule: 2 } });

  await page.goto(`/devices/${dsn}/copy`);
  await expect(page.getByText('In Run mode the intensity has no effect while a schedule is active')).toBeVisible();
});

test('mode, intensity and activity are drawn as unknown while a device is offline, and not as running outside its schedule', async ({
  open,
  people,
  diffuser,
}) => {
  const { dsn } = diffuser.device;
  const api = await people.api('admin');
  const set = async (data: object) => {
    expect((await api.put(`/api/devices/dsns/${dsn}/settings`, { data })).status()).toBe(200);
  };
  diffuser.plugIn();
  await expect.poll(async () => (await readDevice(api, dsn)).connectionStatus).toBe('Online');
  await setSchedule(api, dsn, {});
  await set({ mode: 4, cycle: 3, intensity: 26 });
  const page = await open('admin', PHONE);
  await page.goto(`/devices/${dsn}?history=1`);
  const screen = new DeviceScreen(page);
  await expect(screen.schedule).toContainText('No schedule is active.');
  await expect(screen.schedule).toContainText('Paused now');
  await expect(page.getByText(/Intensity now/)).toHaveCount(0);
  await expect(screen.product('Mode')).toContainText('OnRun · paused');

  await set({ mode: 3 });
  await expect(screen.schedule).toContainText('Intensity now: 26');
  await expect.poll(async () => (await readDevice(api, dsn)).commands.mode?.reported).toBe(3);
  await diffuser.pullOut();
  await expect(screen.product('Connection')).toContainText('Offline');
  await expect(screen.schedule).toContainText('Last known intensity: 26');
  await expect(page.getByText(/Intensity now/)).toHaveCount(0);
  await expect(screen.product('Mode')).toContainText(/^24\/7last known/);
  await expect(screen.product('Intensity')).toContainText(/^26of 50last known/);
  for (const value of ['Mode', 'Intensity'] as const) {
    await expect(screen.product(value).locator('[data-unknown=true]')).toHaveCSS('background-image', /repeating/);
  }
  await page.reload();
  await screen.history.lookAt();
  await expect(screen.history.root.getByText(/^Unknown: offline since .+\. Last known: On/)).toBeVisible();
  await expect(screen.history.root.getByText('now Unknown')).toHaveCount(2);
  const hatched = screen.history.root.locator('[data-unknown=true]');
  // In each of the two charts, the time before the device was plugged in and the one since it is offline.
  await expect(hatched).toHaveCount(4);
  for (const part of await hatched.all()) await expect(part).toHaveCSS('background-image', /repeating/);
});
