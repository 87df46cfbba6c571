import { ROUTES } from '../../web/src/app/paths';
import { expect, test } from '../harness/fixtures';
import { isOnline } from '../harness/fleet';
import { navigate } from '../harness/navigation';
import { DeviceListScreen } from '../screens/device-list';
import { Shell } from '../screens/shell';
import { visitOf } from '../screens/visits';

test('a link without rights is answered inside the application, with the way back', async ({ open }) => {
  const page = await open('cspAdmin');
  const shell = new Shell(page);
  await page.goto('/csps?name=North');
  await expect(shell.refused).toBeVisible();
  await expect(page).toHaveURL('/csps?name=North');
  await expect(page).toHaveTitle('Sillage - No access');
  await expect(shell.live).toBeVisible();
  await page.getByRole('link', { name: 'Go to Devices' }).click();
  await expect(new DeviceListScreen(page).heading).toBeVisible();
  await navigate(page, '/sign-in-rules');
  await expect(shell.refused).toBeVisible();
  await page.getByRole('button', { name: 'Back' }).click();
  await expect(new DeviceListScreen(page).heading).toBeVisible();
});

test('the filters of a link that are not applied are named', async ({ open }) => {
  const page = await open('cspAdmin');
  const ignored = page.getByText(/^Ignored in this link: /);
  await page.goto('/devices?csp=Northlight+Scents&connectionstatus=Broken&color=red');
  await expect(ignored).toHaveText(
    'Ignored in this link: csp (not available to you), Status (its value is not valid here), color (unknown).',
  );
  await page.reload();
  await expect(ignored).toBeVisible();
  const list = new DeviceListScreen(page);
  await list.search.fill('Juniper');
  await expect(ignored).toHaveCount(0);
  await expect(page).toHaveURL('/devices?q=Juniper');

  for (const [address, names] of [
    ['/users?csp=Northlight+Scents', 'csp (not available to you)'],
    ['/attention?csp=Northlight+Scents&kind=rust', 'csp (not available to you), What (its value is not valid here)'],
    ['/fleet?csp=Northlight+Scents&days=28', 'csp (not available to you)'],
    ['/audit?from=yesterday', 'From day (its value is not valid here)'],
  ] as const) {
    await page.goto(address);
    await expect(ignored, address).toHaveText(`Ignored in this link: ${names}.`);
  }
});

test('the titles of tabs differ', async ({ open, fleet }) => {
  const page = await open('admin');
  const { dsn } = fleet.find(isOnline);
  const titles = new Map<string, string>();
  const remember = async (address: string) => {
    await page.waitForFunction((known) => !known.includes(document.title), [...titles.keys(), 'Sillage']);
    titles.set(await page.title(), address);
  };
  for (const { path } of ROUTES.filter(({ access }) => access === 'signed-in')) {
    const { address, arrived } = visitOf(path);
    await page.goto(address(dsn));
    await expect(arrived(page)).toBeVisible();
    await remember(path);
  }
  for (const address of [
    '/devices?connectionstatus=Offline',
    '/devices?q=Juniper',
    '/devices?runsdrydays=14',
    '/devices?q=Juniper&connectionstatus=Online',
    '/users?confirmed=false',
    '/attention?state=closed',
    '/audit?device=AC1',
    '/fleet?customer=Juniper',
    '/account?tab=tokens',
    '/account?tab=sessions',
  ]) {
    await page.goto(address);
    await remember(address);
  }
  expect([...titles.keys()].every((title) => title.startsWith('Sillage - '))).toBe(true);
  expect([...titles.keys()]).toContain('Sillage - Devices: Juniper, Online');
});
