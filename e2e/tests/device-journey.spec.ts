import { Diffuser } from '../harness/diffuser';
import { expect, test } from '../harness/fixtures';
import { readDevice } from '../harness/fleet';
import { DeviceFormScreen } from '../screens/device-form';
import { DeviceListScreen } from '../screens/device-list';
import { DeviceScreen } from '../screens/device-page';
import { DESK, PHONE } from '../screens/sizes';

test.use({ world: 'journey' });

for (const size of [DESK, PHONE]) {
  test(`a technician adds a device, changes its settings, sees them confirmed and signs out, ${size.viewport.width} px`, async ({
    open,
    people,
    system,
  }) => {
    const dsn = system.claimStock();
    const page = await open('cspTech', size);
    const notice = (text: string) => page.getByRole('alert').getByText(text, { exact: true });
    await page.goto('/devices');

    await new DeviceListScreen(page).addDevice.click();
    const form = new DeviceFormScreen(page);
    await form.fillIn();
    await form.text('DSN').fill(dsn);
    await form.save.click();
    await expect(notice('Successfully added device')).toBeVisible();
    const screen = new DeviceScreen(page);
    await expect(page).toHaveURL(`/devices/${dsn}`);
    await expect(screen.product('Connection')).toHaveText('Never connected');
    await expect(screen.status).toHaveText('Never connected');
    await expect(screen.schedule).toContainText('No schedule is active.');
    await screen.history.lookAt();
    await expect(screen.history.root).toContainText('No history yet');

    const api = await people.api('cspTech');
    const diffuser = new Diffuser(system, await readDevice(api, dsn));
    try {
      diffuser.plugIn();
      await expect(screen.product('Connection')).toContainText('Online');

      const dialog = await screen.edit();
      await dialog.choose('Mode', '24/7');
      await dialog.intensity.fill('12');
      await dialog.choose('Off-cycle', 'Short (2 Min)');
      await dialog.choose('Fan Speed', '3');
      await dialog.save.click();
      await expect(notice('Successfully updated device settings')).toBeVisible();
      for (const [value, text] of [
        ['Mode', /^On24\/7/],
        ['Intensity', /^12of 45/],
        ['Off-cycle', /^Short \(2 Min\)/],
        ['Fan Speed', /^3/],
      ] as const) {
        await expect(screen.confirmed(value)).toBeVisible();
        await expect(screen.product(value)).toHaveText(text);
      }

      await screen.act(screen.editDevice);
      await form.text('Store Number').fill('S-17');
      await form.save.click();
      await expect(notice('Successfully updated device')).toBeVisible();
      await expect(page).toHaveURL(`/devices/${dsn}`);
      await expect.poll(() => screen.facts('Name')).toContainEqual(['Store Number', 'S-17']);

      await screen.act(screen.resetLevel);
      await expect(notice('Updated Fragrance Level')).toBeVisible();
      await expect(screen.product('Fragrance Remaining')).toContainText('100%');
      await expect(screen.confirmed('Fragrance Remaining')).toBeVisible();

      await page.reload();
      await screen.history.lookAt();
      for (const end of [
        'Fragrance Remaining, from .+ to 100%',
        'Intensity, from .+ to 12',
        'Connection, from .+ to Online',
      ])
        await expect(screen.history.root.getByRole('img', { name: new RegExp(`^Chart of ${end}$`) })).toBeVisible();
      expect(await readDevice(api, dsn)).toMatchObject({
        mode: 3,
        intensity: 12,
        cycle: 2,
        fan: 3,
        storeNumber: 'S-17',
      });
    } finally {
      await diffuser.pullOut();
    }
    await expect(screen.product('Connection')).toContainText('OfflineLast seen');

    await screen.back.click();
    await expect(page).toHaveURL('/devices');
  });
}
