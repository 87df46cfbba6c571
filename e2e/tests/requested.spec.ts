import type { Page } from '@playwright/test';
import { expectAccessible } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { readDevice } from '../harness/fleet';
import { openSchedule } from '../harness/schedules';
import { DeviceScreen } from '../screens/device-page';
import { DESK, PHONE } from '../screens/sizes';

// Plugs in diffusers that the demo does not simulate.
test.use({ world: 'requested' });

const LATER = 'The device applies it when it reconnects.';

const NEW = {
  csp: 'Meridian Air',
  serialNumber: 'PL-20310',
  systemConfiguration: 'AQ290',
  fragrance: 'Amber Library',
  customer: 'Harbor Hotels',
  serviceArea: 'Lobby',
  timeZone: 'America/Chicago',
  country: 'United States',
  city: 'Milwaukee',
};

/** The lines of the success alert. */
async function linesOf(page: Page, text: string): Promise<string[]> {
  const alert = page.getByRole('alert').filter({ hasText: text });
  await expect(alert).toBeVisible();
  return (await alert.innerText()).split('\n').filter(Boolean);
}

test('settings saved for an offline device are shown as requested until the device applies them', async ({
  open,
  people,
  diffuser,
}) => {
  const { dsn } = diffuser.device;
  const api = await people.api('admin');
  diffuser.plugIn();
  await expect.poll(async () => (await readDevice(api, dsn)).connectionStatus).toBe('Online');
  const known = { mode: 3, cycle: 3, intensity: 20, fan: 2 };
  expect((await api.put(`/api/devices/dsns/${dsn}/settings`, { data: known })).status()).toBe(200);
  const page = await open('admin', DESK);
  const screen = new DeviceScreen(page);
  await page.goto(`/devices/${dsn}`);
  await expect(screen.product('Intensity')).toContainText('20');
  for (const value of ['Mode', 'Intensity', 'Off-cycle', 'Fan Speed'] as const) {
    await expect(screen.command(value)).toHaveCount(0);
  }
  await diffuser.pullOut();
  await expect(screen.product('Connection')).toContainText('Offline');

  const dialog = await screen.edit();
  await dialog.choose('Mode', 'Off');
  await dialog.choose('Off-cycle', 'Very Short (30 Sec)');
  await dialog.choose('Fan Speed', '5');
  await dialog.intensity.fill('7');
  await dialog.save.click();
  expect(await linesOf(page, 'Successfully updated device settings')).toEqual([
    'Successfully updated device settings',
    LATER,
  ]);
  const requested = async () => {
    await expect(screen.product('Mode')).toHaveText(/^24\/7last knownOff requestedPending since/);
    await expect(screen.product('Intensity')).toHaveText(/^20of 50last known7 requestedPending since/);
    await expect(screen.product('Off-cycle')).toHaveText(
      /^Normal \(7 Min\)Very Short \(30 Sec\) requestedPending since/,
    );
    await expect(screen.product('Fan Speed')).toHaveText(/^25 requestedPending since/);
    await expect(screen.schedule).toContainText('Last known intensity: 207 requested');
  };
  await requested();
  await expectAccessible(page, 'requested settings');
  await page.reload();
  await requested();
  expect((await readDevice(api, dsn)).shownIntensity).toEqual({ value: 20, schedule: null });

  const again = await screen.edit();
  await expect(again.intensity).toHaveValue('7');
  await expect(again.root.getByRole('note')).toContainText('Settings that wait for the device are shown below');
  await again.cancel.click();

  diffuser.plugIn();
  await expect(screen.product('Connection')).toContainText('Online');
  await expect(screen.product('Intensity')).toHaveText(/^7of 50Confirmed/);
  await expect(screen.product('Mode')).toHaveText(/^OffConfirmed/);
  await expect(screen.product('Fan Speed')).toHaveText(/^5Confirmed/);
  await expect(screen.schedule).toContainText('Intensity set: 7');
  await expect(page.getByText('requested')).toHaveCount(0);

  // An online device applies a setting at once, so there is no notice about later.
  const online = await screen.edit();
  await online.intensity.fill('8');
  await online.save.click();
  const lines = await linesOf(page, 'Successfully updated device settings');
  expect(lines.filter((line) => line === LATER)).toEqual([]);
  await expect(screen.product('Intensity')).toHaveText(/^8of 50Confirmed/);
});

test('a device that never reported shows Unknown beside requested values, also on a phone', async ({
  open,
  people,
  system,
}) => {
  const dsn = system.claimStock();
  const api = await people.api('admin');
  const added = await api.post('/api/devices', { data: { ...NEW, dsn } });
  expect(added.status(), await added.text()).toBe(201);
  const page = await open('admin', { ...PHONE, colorScheme: 'dark' });
  const screen = new DeviceScreen(page);
  await page.goto(`/devices/${dsn}`);
  await expect(screen.product('Intensity')).toHaveText('Unknown');
  await screen.settings.tap();
  const dialog = page.getByRole('dialog', { name: 'Device Settings' });
  await dialog.getByRole('textbox', { name: 'Intensity' }).fill('7');
  await dialog.getByRole('button', { name: 'Save' }).tap();
  expect(await linesOf(page, 'Successfully updated device settings')).toContain(LATER);
  await expect(screen.product('Intensity')).toHaveText(/^Unknown7 requestedPending since/);
  await expect(screen.schedule).toContainText('Intensity: Unknown7 requested');
  await expectAccessible(page, 'requested settings on a phone');
});

test('a schedule saved for an offline device is shown as requested and not as running', async ({
  open,
  people,
  diffuser,
}) => {
  const { dsn } = diffuser.device;
  const api = await people.api('admin');
  const { shownIntensity } = await readDevice(api, dsn);
  const page = await open('admin', DESK);
  const editor = await openSchedule(page, dsn);
  const dialog = await editor.edit(1);
  await dialog.enable(true);
  await dialog.intensity.fill('7');
  await dialog.done.click();
  await expect(dialog.root).toBeHidden();
  await editor.save.click();
  expect(await linesOf(page, 'Successfully updated device schedule')).toEqual([
    'Successfully updated device schedule',
    LATER,
  ]);
  const screen = new DeviceScreen(page);
  await expect(screen.schedule).toContainText(`This schedule is requested. ${LATER}`);
  await expect(screen.runningBars).toHaveCount(0);
  expect((await readDevice(api, dsn)).shownIntensity).toEqual(shownIntensity);

  diffuser.plugIn();
  await expect(screen.schedule).not.toContainText('requested');
});
