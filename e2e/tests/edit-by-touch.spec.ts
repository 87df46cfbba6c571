import { expect, test } from '../harness/fixtures';
import { readDevice } from '../harness/fleet';
import { middleOf } from '../harness/hands';
import { loseAnswer, reload } from '../harness/lost-answer';
import { at, openSchedule, setSchedule, WEEK } from '../harness/schedules';
import { DeviceScreen } from '../screens/device-page';
import { PHONE } from '../screens/sizes';

// Changes settings and schedules of devices.
test.use({ world: 'edit-by-touch' });

const SETTINGS = { mode: 3, cycle: 3, intensity: 30 };

test('a draft survives a reload, and an explicit Leave deletes it, also by signing out', async ({
  open,
  people,
  fleet,
}) => {
  const { dsn } = fleet.claim();
  await setSchedule(await people.api('admin'), dsn, WEEK);
  const page = await open('admin', { ...PHONE, ownSession: true });
  const screen = await openSchedule(page, dsn);
  const card = page.getByRole('button', { name: 'Edit Schedule 1', exact: true });
  const change = async (intensity: string) => {
    await card.tap();
    await screen.dialog.intensity.fill(intensity);
    await screen.dialog.done.tap();
    await expect(screen.dialog.root).toBeHidden();
  };
  await change('33');
  await reload(page);
  await expect(screen.restored).toBeVisible();
  await expect(card).toContainText('33');

  await screen.cancel.tap();
  await screen.leave.getByRole('button', { name: 'Leave' }).tap();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  await openSchedule(page, dsn);
  await expect(card).toContainText('20');
  await expect(screen.restored).toBeHidden();

  await change('34');
  await page.getByRole('button', { name: /^Account of / }).tap();
  const signOut = page.getByRole('link', { name: 'Sign Out' });
  await signOut.tap();
  await expect(screen.leave).toBeVisible();
  await expect(signOut).toBeHidden();
  await screen.leave.getByRole('button', { name: 'Stay' }).tap();
  await expect(page).toHaveURL(at(dsn));
  await expect(card).toContainText('34');
});

test('ten taps at one place lower the intensity by ten, without an alert', async ({ open, people, fleet }) => {
  const { dsn } = fleet.claim(({ csp }) => csp === 'Meridian Air');
  const api = await people.api('admin');
  expect((await api.put(`/api/devices/dsns/${dsn}/settings`, { data: SETTINGS })).status()).toBe(200);
  const page = await open('cspTech', PHONE);
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  await expect(screen.intensity).toHaveValue('30');
  await screen.lower.scrollIntoViewIfNeeded();
  const { x, y } = await middleOf(screen.lower);
  for (let tap = 0; tap < 5; tap += 1) await page.touchscreen.tap(x, y);
  await expect(screen.confirmed('Intensity')).toBeVisible();
  await expect(screen.product('Intensity')).toHaveText(/^25of \d+Confirmed/);
  expect(await middleOf(screen.lower)).toEqual({ x, y });
  for (let tap = 0; tap < 5; tap += 1) await page.touchscreen.tap(x, y);
  await expect(screen.product('Intensity')).toHaveText(/^20of \d+Confirmed/);
  expect(await middleOf(screen.lower)).toEqual({ x, y });
  await expect(page.getByRole('alert')).toHaveCount(0);
  expect((await readDevice(api, dsn)).intensity).toBe(20);
});

test('a lost response is neither called a success nor a failure until the device is read again', async ({
  open,
  people,
  fleet,
  guard,
}) => {
  guard.expect('broken', /\/api\/devices\/dsns\//);
  const { dsn } = fleet.claim(({ csp }) => csp === 'Meridian Air');
  const api = await people.api('admin');
  expect((await api.put(`/api/devices/dsns/${dsn}/settings`, { data: SETTINGS })).status()).toBe(200);
  const page = await open('cspTech', PHONE);
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  await expect(screen.intensity).toHaveValue('30');
  await loseAnswer(page, '**/settings', 'PUT');
  // Records every moment in which the page contradicts itself.
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { contradictions: seen });
    new MutationObserver(() => {
      const label = [...document.querySelectorAll('#status dt')].find(({ textContent }) => textContent === 'Intensity');
      const state = label?.parentElement?.querySelector('[role=status]')?.textContent ?? '';
      const alerts = [...document.querySelectorAll('[role=alert]')].map(({ textContent }) => textContent ?? '');
      const failed = alerts.some((text) => /Failed|Success/.test(text));
      if (failed || (state.includes('Confirmed') && document.body.textContent?.includes('29 is not confirmed'))) {
        seen.push(`${state} ${alerts.join(' ')}`);
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await screen.lower.tap();
  await expect(screen.product('Intensity')).toHaveText(/^29of \d+Confirmed/);
  await expect(page.getByText('29 is not confirmed')).toBeHidden();
  await expect(page.getByRole('alert')).toHaveCount(0);
  expect(await page.evaluate(() => Reflect.get(window, 'contradictions'))).toEqual([]);
});
