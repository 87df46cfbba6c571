import { expect, test } from '../harness/fixtures';
import { readDevice } from '../harness/fleet';
import type { Person } from '../harness/people';
import { DeviceScreen } from '../screens/device-page';

const DEVICE = /^\/api\/devices\/dsns\//;

test('Reset Fragrance Level requires permission to edit the device', async ({ open, people, fleet }) => {
  const { dsn } = fleet.find(({ csp }) => csp === 'Meridian Air');
  const rights: [Person, number][] = [
    ['admin', 1],
    ['cspAdmin', 1],
    ['cspTech', 1],
    ['observer', 0],
    ['cspObserver', 0],
  ];
  for (const [person, buttons] of rights) {
    const page = await open(person);
    await page.goto(`/devices/${dsn}`);
    const screen = new DeviceScreen(page);
    await expect(screen.product('Fragrance Remaining')).toBeVisible();
    await expect(screen.resetLevel).toHaveCount(buttons);
    if (buttons === 0) {
      const reset = await (await people.api(person)).post(`/api/devices/dsns/${dsn}/fragrance-level/reset`);
      expect(reset.status()).toBe(403);
    }
  }
});

test('a reset reaches the device: no hours, 100 percent', async ({ open, people, fleet }) => {
  const { dsn } = fleet.claim(
    ({ csp, fragranceRemaining }) => csp === 'Meridian Air' && (fragranceRemaining ?? 100) < 90,
  );
  const page = await open('cspTech');
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  const api = await people.api('cspTech');
  expect((await readDevice(api, dsn)).cartridgeLife).toBeGreaterThan(10);

  await screen.resetLevel.click();
  await expect(page.getByRole('alert').filter({ hasText: 'Updated Fragrance Level' })).toBeVisible();
  await expect(screen.product('Fragrance Remaining')).toContainText('100%');
  await expect(screen.command('Fragrance Remaining')).toHaveCount(0);
  const after = await readDevice(api, dsn);
  expect(after.cartridgeLife).toBeLessThan(1);
  expect(after.fragranceRemaining).toBe(100);
  expect(after.commands.fragranceRemaining).toMatchObject({ state: 'acknowledged', value: 100, reported: 100 });
});

test('a failed reset is announced', async ({ open, fleet, system, guard }) => {
  guard.expect(502, DEVICE);
  const { dsn } = fleet.claim();
  const page = await open('admin');
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  await expect(screen.resetLevel).toBeVisible();
  system.cloudProxy.fail({ match: /^POST .*datapoint/, status: 500 });
  await screen.resetLevel.click();
  await expect(page.getByRole('alert').filter({ hasText: 'Failed to reset fragrance level' })).toBeVisible();
});
