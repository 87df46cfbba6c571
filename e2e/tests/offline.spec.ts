import type { Page } from '@playwright/test';
import { findViolations } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { readDevice } from '../harness/fleet';
import { DeviceFormScreen } from '../screens/device-form';
import { DeviceScreen } from '../screens/device-page';
import { NoConnectionScreen } from '../screens/no-connection';
import { Shell } from '../screens/shell';
import { SignInScreen } from '../screens/sign-in';

test.use({ serviceWorkers: 'allow' });

test.beforeEach(({ guard }) => {
  guard.expect('broken', /^\//);
});

/** Waits until the page can be opened without a network. */
async function awaitWorker(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready);
}

/** The time of day of the page, as it shows it in New York. */
async function clock(page: Page): Promise<string> {
  const format = new Intl.DateTimeFormat('en-US', { timeStyle: 'short', timeZone: 'America/New_York' });
  return format.format(await page.evaluate(() => Date.now()));
}

test('a page reports a lost network within 2 seconds, with the time of the last update, and reconnects by itself', async ({
  open,
  fleet,
  people,
}) => {
  const { dsn } = fleet.claim();
  const api = await people.api('admin');
  const page = await open('admin');
  await page.clock.install();
  await page.goto(`/devices/${dsn}`);
  const earliest = await clock(page);
  const { live } = new Shell(page);
  const screen = new DeviceScreen(page);
  await expect(live).toHaveText('Live');
  await expect(screen.product('Intensity')).toBeVisible();

  await page.clock.pauseAt(Date.now() + 5_000);
  await page.context().setOffline(true);
  await page.clock.runFor(2_000);
  await expect(live).toHaveText('No connection');
  const notice = page.getByRole('main').getByText('Last update');
  await expect(notice).toBeVisible();
  const latest = await clock(page);
  expect([earliest, latest].map((time) => `No connection to the server. Last update ${time}.`)).toContain(
    await notice.textContent(),
  );
  await page.clock.resume();
  expect(await findViolations(page)).toEqual([]);

  const wanted = (await readDevice(api, dsn)).intensity === 11 ? 12 : 11;
  const answer = await api.put(`/api/devices/dsns/${dsn}/settings`, { data: { mode: 3, intensity: wanted } });
  expect(answer.status()).toBe(200);
  await page.context().setOffline(false);
  await expect(live).toHaveText('Live');
  await expect(notice).toBeHidden();
  await expect(screen.product('Intensity')).toContainText(String(wanted));
});

test('a reload without a network shows that there is no connection and keeps drafts', async ({ open, fleet }) => {
  const { dsn } = fleet.claim();
  const page = await open('admin');
  await page.goto(`/devices/${dsn}/edit`);
  const form = new DeviceFormScreen(page);
  await form.text('Service Area').fill('Roof terrace');
  await awaitWorker(page);
  page.on('dialog', (dialog) => void dialog.accept());

  await page.context().setOffline(true);
  await expect(new Shell(page).live).toHaveText('No connection');
  await page.reload();
  const { heading, retry } = new NoConnectionScreen(page);
  await expect(heading).toBeVisible();
  await retry.click();
  await expect(heading).toBeVisible();
  await expect(page).toHaveURL(`/devices/${dsn}/edit`);

  await page.context().setOffline(false);
  await expect(form.restored).toBeVisible();
  await expect(form.text('Service Area')).toHaveValue('Roof terrace');
  await expect(page).toHaveURL(`/devices/${dsn}/edit`);
});

test('a device opened while the server is unreachable is shown as soon as possible, without a sign-out', async ({
  open,
  fleet,
  frontProxy,
}) => {
  const { dsn } = fleet.claim();
  const first = await open('admin', { through: frontProxy });
  await first.goto('/devices');
  await awaitWorker(first);
  frontProxy.cut();
  const page = await first.context().newPage();
  await page.goto(`/devices/${dsn}`);
  await expect(new NoConnectionScreen(page).heading).toBeVisible();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  expect(await findViolations(page)).toEqual([]);

  frontProxy.heal();
  await expect(new DeviceScreen(page).product('Intensity')).toBeVisible();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  expect(frontProxy.count(/^DELETE \/api\/session/)).toBe(0);
});

test('every visit looks for a new worker', async ({ open }) => {
  const page = await open(null);
  const worker = await page.request.get('/worker.js');
  expect(worker.headers()).toMatchObject({ 'cache-control': 'no-cache', 'content-type': 'text/javascript' });
});

test('a page whose code cannot be loaded shows that there is no connection inside the layout', async ({ open }) => {
  const page = await open('admin');
  await page.goto('/devices');
  const { live, navigation } = new Shell(page);
  await expect(live).toHaveText('Live');
  await page.context().setOffline(true);
  await expect(live).toHaveText('No connection');
  await navigation.getByRole('link', { name: 'Users' }).click();
  await expect(new NoConnectionScreen(page).heading).toBeVisible();
  await expect(live).toHaveText('No connection');
  await page.context().setOffline(false);
  await expect(page.getByRole('heading', { name: 'Users', level: 1 })).toBeVisible();
  await expect(page).toHaveURL('/users');
});

test('no user data stays in the browser after signing out', async ({ open, people, fleet }) => {
  const dsn = fleet.of('Meridian Air')[0]?.dsn ?? '';
  const page = await open('cspAdmin', { ownSession: true });
  await page.goto('/users');
  await awaitWorker(page);
  // The first page opened with the worker.
  await page.goto(`/devices/${dsn}`);
  await expect(new Shell(page).live).toHaveText('Live');
  await new Shell(page).signOut();
  await expect(new SignInScreen(page).heading).toBeVisible();
  const kept = await page.evaluate(async () => {
    const texts: Record<string, string> = {};
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        texts[new URL(request.url).pathname] = (await (await cache.match(request))?.text()) ?? '';
      }
    }
    return texts;
  });
  expect(Object.keys(kept)).toContain('/');
  expect(Object.keys(kept).filter((path) => path !== '/' && !path.startsWith('/assets/'))).toEqual([]);
  const { email } = people.account('cspAdmin');
  for (const text of Object.values(kept)) {
    expect(text).not.toContain(email);
    expect(text).not.toContain(dsn);
  }
});
