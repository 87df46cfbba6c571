import { EVENTS } from '../harness/fault-proxy';
import { expect, test } from '../harness/fixtures';
import { isOnline, readDevice, readDevices } from '../harness/fleet';
import { DeviceListScreen } from '../screens/device-list';
import { DeviceScreen } from '../screens/device-page';
import { Shell } from '../screens/shell';

const CLOUD_STREAM = /^GET \/stream/;

test('a changed intensity reaches the diffuser and is shown on every screen', async ({ open, diffuser, people }) => {
  const { dsn, serialNumber } = diffuser.device;
  const mine = await open('admin');
  const theirs = await open('observer');
  const [here, there] = [new DeviceScreen(mine), new DeviceScreen(theirs)];
  await mine.goto(`/devices?dsn=${dsn}`);
  await theirs.goto(`/devices/${dsn}`);
  await expect(there.product('Connection')).toContainText('Offline');

  const list = new DeviceListScreen(mine);
  await expect(list.row(dsn)).toContainText('Offline');
  diffuser.plugIn();
  await expect(list.row(dsn)).toContainText('Online');
  await expect(there.product('Connection')).toContainText('Online');

  await list
    .row(dsn)
    .getByRole('link', { name: serialNumber ?? dsn })
    .click();
  const before = (await readDevice(await people.api('admin'), dsn)).intensity;
  const wanted = String(before === 21 ? 22 : 21);
  // A frozen device does not acknowledge, so the waiting state is visible.
  diffuser.freeze();
  const dialog = await here.edit();
  await dialog.intensity.fill(wanted);
  await dialog.save.click();
  for (const screen of [here, there]) {
    await expect(screen.command('Intensity')).toContainText('Pending');
    await expect(screen.product('Intensity')).toContainText(wanted);
  }

  diffuser.thaw();
  for (const screen of [here, there]) {
    await expect(screen.command('Intensity')).toHaveCount(0);
    await expect(screen.product('Intensity')).toContainText(wanted);
  }
  const after = await readDevice(await people.api('observer'), dsn);
  expect(after.commands.intensity).toMatchObject({ state: 'acknowledged', reported: Number(wanted) });
});

test('an unplugged device is offline everywhere, and a command waits for it', async ({ open, diffuser, people }) => {
  const { dsn } = diffuser.device;
  diffuser.plugIn();
  const page = await open('admin');
  const screen = new DeviceScreen(page);
  await page.goto(`/devices/${dsn}`);
  await expect(screen.product('Connection')).toContainText('Online');
  const second = await open('admin');
  await second.goto(`/devices?dsn=${dsn}`);
  const row = new DeviceListScreen(second).row(dsn);
  await expect(row).toContainText('Online');

  await diffuser.pullOut();
  await expect(screen.product('Connection')).toContainText('Offline');
  await expect(row).toContainText('Offline');

  const dialog = await screen.edit();
  await expect(dialog.root.getByRole('note')).toContainText('offline');
  const wanted = (await dialog.intensity.inputValue()) === '31' ? '32' : '31';
  await dialog.intensity.fill(wanted);
  await dialog.save.click();
  await expect(screen.command('Intensity')).toContainText('Pending');
  await page.reload();
  await expect(screen.command('Intensity')).toContainText('Pending');
  const waiting = await readDevice(await people.api('admin'), dsn);
  expect(waiting.commands.intensity).toMatchObject({ state: 'pending', value: Number(wanted), answeredAt: null });

  diffuser.plugIn();
  await expect(screen.product('Connection')).toContainText('Online');
  await expect(screen.command('Intensity')).toHaveCount(0);
  await expect(screen.product('Intensity')).toContainText(wanted);
  await expect(row).toContainText('Online');
});

test('a browser that lost its stream reports it and catches up', async ({ open, frontProxy, fleet, people, guard }) => {
  guard.expect('broken', /^\/api\/events$/);
  const { dsn } = fleet.claim();
  const api = await people.api('admin');
  const page = await open('observer', { through: frontProxy });
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  const { live } = new Shell(page);
  await expect(live).toHaveText('Live');
  await expect(screen.product('Intensity')).toBeVisible();

  frontProxy.cut(EVENTS);
  await expect(live).toHaveText('Reconnecting');
  const wanted = (await readDevice(api, dsn)).intensity === 11 ? 12 : 11;
  await api.put(`/api/devices/dsns/${dsn}/settings`, { data: { intensity: wanted } });
  await expect.poll(async () => (await readDevice(api, dsn)).commands.intensity?.state).toBe('acknowledged');

  frontProxy.heal();
  // The next attempt may be nearly 20 seconds away.
  await expect(live).toHaveText('Live');
  await expect(screen.product('Intensity')).toContainText(String(wanted));
  await expect(screen.command('Intensity')).toHaveCount(0);
});

test('changes during a disconnection of console and cloud are caught up', async ({ open, diffuser, system, guard }) => {
  for (const status of [502, 504]) guard.expect(status, /^\/api\/devices\//);
  const { dsn } = diffuser.device;
  diffuser.plugIn();
  const page = await open('observer');
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  await expect(screen.product('Connection')).toContainText('Online');

  const tries = () => system.cloudProxy.count(CLOUD_STREAM);
  const before = tries();
  system.cloudProxy.cut();
  await diffuser.pullOut();
  // The console has lost its stream and fails to reconnect; the page has not been notified yet.
  await expect.poll(tries).toBeGreaterThan(before);
  await expect(screen.product('Connection')).toContainText('Online');
  system.cloudProxy.heal();
  // The console's next attempt may be a minute away.
  await expect(screen.product('Connection')).toContainText('Offline');
});

test('a crash loses nothing, and open pages reconnect by themselves', async ({
  open,
  fleet,
  people,
  system,
  guard,
}) => {
  guard.expect('broken', /^\/api\//);
  const { dsn } = fleet.claim();
  const api = await people.api('admin');
  const page = await open('admin');
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  const { live } = new Shell(page);
  await expect(live).toHaveText('Live');

  const wanted = (await readDevice(api, dsn)).intensity === 13 ? 14 : 13;
  const write = await api.put(`/api/devices/dsns/${dsn}/settings`, { data: { intensity: wanted } });
  expect(write.status()).toBe(200);
  await system.kill();
  await expect(live).toHaveText('No connection');
  await system.restart();
  await expect(live).toHaveText('Live');
  await expect(screen.product('Intensity')).toContainText(String(wanted));
  await expect(screen.product('Connection')).toContainText('Online');
  await expect(screen.command('Intensity')).toHaveCount(0);

  const online = fleet.devices.filter(isOnline).length;
  await expect.poll(async () => (await readDevices(api)).filter(isOnline).length).toBeGreaterThanOrEqual(online);
});

test("connecting and disconnecting devices update everybody's filtered lists and totals", async ({
  open,
  diffuser,
}) => {
  const { dsn, csp } = diffuser.device;
  const lists: DeviceListScreen[] = [];
  for (const person of ['admin', 'observer'] as const) {
    const page = await open(person);
    await page.goto(`/devices?dsn=${dsn}&connectionstatus=Online`);
    await expect(new Shell(page).live).toHaveText('Live');
    lists.push(new DeviceListScreen(page));
  }
  const stranger = await open(csp === 'Meridian Air' ? 'otherCspAdmin' : 'cspAdmin');
  await stranger.goto(`/devices?dsn=${dsn}`);
  await expect(stranger.getByText('No results')).toBeVisible();
  for (const list of lists) await expect(list.footer('Devices 0 - 0 of 0')).toBeVisible();

  diffuser.plugIn();
  for (const list of lists) {
    await expect(list.row(dsn)).toContainText('Online');
    await expect(list.footer('Devices 1 - 1 of 1')).toBeVisible();
  }
  await diffuser.pullOut();
  for (const list of lists) {
    await expect(list.rows).toHaveCount(0);
    await expect(list.footer('Devices 0 - 0 of 0')).toBeVisible();
  }
  await expect(stranger.getByText('No results')).toBeVisible();
});

test('the tabs of a browser share one stream, and another tab takes over when its holder is closed', async ({
  open,
  diffuser,
  frontProxy,
  fleet,
}) => {
  const { dsn } = diffuser.device;
  const first = await open('admin', { through: frontProxy });
  await first.goto(`/devices/${fleet.find(isOnline).dsn}`);
  await expect(new Shell(first).live).toHaveText('Live');
  const second = await first.context().newPage();
  const third = await first.context().newPage();
  await second.goto(`/devices?dsn=${dsn}`);
  await third.goto(`/devices/${dsn}`);
  const row = new DeviceListScreen(second).row(dsn);
  const connection = new DeviceScreen(third).product('Connection');
  for (const page of [first, second, third]) await expect(new Shell(page).live).toHaveText('Live');
  await expect.poll(() => frontProxy.countOpen(EVENTS)).toBe(1);

  diffuser.plugIn();
  await expect(row).toContainText('Online');
  await expect(connection).toContainText('Online');

  await first.close();
  await diffuser.pullOut();
  await expect(row).toContainText('Offline');
  await expect(connection).toContainText('Offline');
  await expect.poll(() => frontProxy.countOpen(EVENTS)).toBe(1);
  for (const page of [second, third]) await expect(new Shell(page).live).toHaveText('Live');
  await third.close();
  await expect.poll(() => frontProxy.countOpen(EVENTS)).toBe(1);
  await second.close();
  await expect.poll(() => frontProxy.countOpen(EVENTS)).toBe(0);
});

test('rereading an unchanged list transfers no body', async ({ open, diffuser }) => {
  const page = await open('admin');
  await page.goto('/devices?dsn=NO-SUCH-DSN');
  const empty = page.getByText('No results');
  await expect(empty).toBeVisible();
  const reread = page.waitForResponse(
    (response) => new URL(response.url()).pathname === '/api/devices' && response.status() === 304,
  );
  // The list of all devices changes, and so every open list is read again.
  diffuser.plugIn();
  await reread;
  await expect(empty).toBeVisible();
});
