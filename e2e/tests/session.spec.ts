import type { Page } from '@playwright/test';
import { ROUTES } from '../../web/src/app/paths';
import { expect, test } from '../harness/fixtures';
import type { Person } from '../harness/people';
import { DeviceListScreen } from '../screens/device-list';
import { SignInScreen } from '../screens/sign-in';
import { visitOf } from '../screens/visits';

/** Records the paths of the page from now on. */
function pathsOf(page: Page): string[] {
  const paths: string[] = [];
  page.on('framenavigated', (frame) => paths.push(new URL(frame.url()).pathname));
  return paths;
}

test('a failed refresh leads to /signout, and signing in leads back', async ({
  open,
  people,
  fleet,
  system,
  frontProxy,
  guard,
}) => {
  guard.expect(401, /^\/api\//);
  const [device] = fleet.of('Meridian Air');
  const page = await open('cspTech', { through: frontProxy, ownSession: true });
  await system.revokeNewestTokens();
  await page.goto(`/devices?dsn=${device?.dsn}`);
  const list = new DeviceListScreen(page);
  await expect(list.rows).toHaveCount(1);

  const paths = pathsOf(page);
  await list.rows.first().click();
  const form = new SignInScreen(page);
  await expect(form.heading).toBeVisible();
  expect(paths).toEqual([`/devices/${device?.dsn}`, '/signout', '/', '/signin'].filter((path) => paths.includes(path)));
  expect(paths).toContain('/signout');
  expect(frontProxy.count(/^POST \/api\/jwt\/update/)).toBe(1);
  expect(await page.context().cookies()).toEqual([]);

  await form.signIn(people.account('cspTech'));
  await expect(page).toHaveURL(`/devices/${device?.dsn}`);
});

/** A person who may open the route. Several people are needed because of the limit of ten sign-ins a minute. */
function personFor(path: string): Person {
  if (path.startsWith('/csps') || path === '/import' || path === '/sign-in-rules') return 'admin';
  return path.startsWith('/devices') ? 'cspTech' : 'cspAdmin';
}

for (const path of ROUTES.filter(({ access }) => access === 'signed-in').map(({ path }) => path)) {
  test(`a session that cannot be refreshed leads from ${path} to /signout, once and without alerts`, async ({
    open,
    people,
    fleet,
    system,
    frontProxy,
    guard,
  }) => {
    guard.expect(401, /^\/api\//);
    const [device] = fleet.of('Meridian Air');
    const { address, arrived } = visitOf(path);
    const page = await open(personFor(path), { through: frontProxy, ownSession: true });
    await page.goto(address(device?.dsn ?? ''));
    await expect(arrived(page)).toBeVisible();
    const paths = pathsOf(page);
    await system.revokeNewestTokens();
    // Another tab notices the end of the session first.
    expect((await page.request.post('/api/jwt/update')).status()).toBe(401);

    await expect(new SignInScreen(page).heading).toBeVisible();
    expect(paths.filter((one) => one === '/signout')).toHaveLength(1);
    const ends = () => [frontProxy.count(/^DELETE \/api\/session/), frontProxy.count(/^POST \/api\/jwt\/update/)];
    const before = ends();
    expect(before[0]).toBe(1);
    // The refresh of the other tab, and at most one of this page.
    expect(before[1]).toBeLessThanOrEqual(2);
    // Long enough for a looping page to make many more requests.
    await page.evaluate(async () => {
      for (let call = 0; call < 100; call += 1) await fetch('/api/session');
    });
    expect(ends()).toEqual(before);
    await expect(page.getByRole('alert')).toHaveCount(0);
    await expect(page).toHaveURL('/signin');
    expect((await people.api('cspAdmin').then((api) => api.get('/api/devices'))).status()).toBe(200);
  });
}
