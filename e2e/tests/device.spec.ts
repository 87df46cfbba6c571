import type { DeviceDetail } from '../../web/src/api/schema.gen';
import { expectAccessible } from '../harness/axe';
import { EVENTS } from '../harness/fault-proxy';
import { expect, test } from '../harness/fixtures';
import { isOnline, readDevice } from '../harness/fleet';
import { loseAnswer } from '../harness/lost-answer';
import { AttentionScreen } from '../screens/attention';
import { DeviceListScreen } from '../screens/device-list';
import { DeviceScreen } from '../screens/device-page';
import { Shell } from '../screens/shell';

const DEVICE = /^\/api\/devices\/dsns\//;
const MODES: Record<number, string> = { 1: 'Off', 3: 'On24/7', 4: 'OnRun' };
const CYCLES: Record<number, string> = { 1: 'Very Short (30 Sec)', 2: 'Short (2 Min)', 3: 'Normal (7 Min)' };

test("every block shows the server's values", async ({ open, people, fleet }) => {
  const { dsn } = fleet.find(({ mode, csp }) => mode === 4 && csp === 'Meridian Air');
  const device = await readDevice(await people.api('admin'), dsn);
  const page = await open('admin');
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  await expect(screen.heading).toHaveText(device.serialNumber ?? dsn);
  await expect(page).toHaveTitle(new RegExp(`^Sillage.*${device.serialNumber}`));
  expect(await screen.facts('Name')).toEqual(
    shown([
      ['CSP', device.csp],
      ['Customer', device.customer],
      ['Customer ID', device.customerId],
      ['Store Number', device.storeNumber],
      // Devices of the demo have no install date.
      ['Install Date', null],
      ['Service Area', device.serviceArea],
    ]),
  );
  expect(await screen.facts('Identification')).toEqual(
    shown([
      ['Serial Number', device.serialNumber],
      ['DSN', dsn],
      ['Network', device.network],
      ['System Configuration', device.systemConfigurationLabel],
      ['Fragrance', device.fragrance],
      ['Software', device.swVersion],
      ['LAN Address', device.lanIp],
    ]),
  );
  expect(await screen.facts('Location')).toEqual(
    shown([
      ['Country', device.country],
      ['City', device.city],
      ['State/Province', device.state],
      ['Time Zone', device.timeZone],
      ['Latitude', device.lat],
      ['Longitude', device.lng],
    ]),
  );
});

function shown(facts: [label: string, value: DeviceDetail[keyof DeviceDetail]][]): [string, string][] {
  return facts.map(([label, value]) => [label, value === null ? 'Not set' : String(value)]);
}

test('the page says when and why the cloud last refused the device', async ({ open, diffuser }, info) => {
  const page = await open('admin');
  const screen = new DeviceScreen(page);
  diffuser.plugInWithWrongKey(info.outputPath('keys.csv'));
  await expect(async () => {
    await page.goto(`/devices/${diffuser.dsn}`);
    await expect(screen.heading).toBeVisible();
    const facts = await screen.facts('Identification');
    expect(facts).toContainEqual(['Last Refusal', expect.stringMatching(/^\w+ \d+, \d{4}, .*: wrong key$/)]);
  }).toPass();
});

test('what a device sends wrongly is on its page and, from 20 on a day, among what needs attention', async ({
  open,
  diffuser,
}) => {
  const page = await open('admin');
  const screen = new DeviceScreen(page);
  const report = (properties: string) => `{"properties":${properties}}`;
  const facts = async () => {
    await page.goto(`/devices/${diffuser.dsn}`);
    await expect(screen.heading).toBeVisible();
    return Object.fromEntries(await screen.facts('Faults'));
  };

  await diffuser.report([report('{"fan":"4","intensity":99,"board_temp":41}'), report('nan')]);
  expect(await facts()).toEqual({
    'board_temp: unknown property': expect.stringMatching(/^Once, last .* \(41\)$/),
    'intensity: out of range': expect.stringMatching(/^Once, last .* \(99\)$/),
    'report: unreadable': expect.stringMatching(/^Once, last .* \(18 bytes\)$/),
  });
  await expect(screen.product('Fan Speed')).toContainText('4');
  expect(Object.fromEntries(await screen.facts('Identification'))).toMatchObject({
    'Last Refusal': expect.stringContaining('payload is not JSON'),
  });

  await diffuser.report(Array.from({ length: 17 }, () => report('{"intensity":99}')));
  await expect(async () => {
    expect(await facts()).toMatchObject({ 'intensity: out of range': expect.stringMatching(/^18 times, /) });
  }).toPass();
  const attention = new AttentionScreen(page);
  await page.goto('/attention?kind=unreadable_values');
  const item = attention.item('Sends what we cannot read', diffuser.dsn);
  await expect(item).toContainText('20 values in a day');
  await expect(item).toContainText('Likely another firmware than the cloud knows');
});

test('the network is LAN or the SSID', async ({ open, people, fleet }) => {
  const api = await people.api('admin');
  const page = await open('observer');
  const screen = new DeviceScreen(page);
  for (const isLan of [true, false]) {
    const { dsn } = fleet.find(({ network }) => (network === 'LAN') === isLan);
    const { ssid, lanEnabled } = await readDevice(api, dsn);
    expect(lanEnabled || !ssid).toBe(isLan);
    await page.goto(`/devices/${dsn}`);
    await expect(screen.heading).toBeVisible();
    expect(await screen.facts('Identification')).toContainEqual(['Network', isLan ? 'LAN' : ssid]);
  }
});

test('a device that cannot be read shows the reason and can be retried', async ({ open, fleet, frontProxy, guard }) => {
  guard.expect(500, DEVICE);
  const { dsn } = fleet.find(isOnline);
  const page = await open('admin', { through: frontProxy });
  const heal = frontProxy.fail({ match: /^GET \/api\/devices\/dsns\//, status: 500 });
  frontProxy.hold(EVENTS);
  await page.goto(`/devices/${dsn}`);
  await expect(page.getByRole('alert')).toContainText('Failed to load device');
  await expectAccessible(page, 'device that failed');
  heal();
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(new DeviceScreen(page).product('Mode')).toBeVisible();
});

test('the product block shows texts for codes', async ({ open, people, fleet, diffuser }) => {
  const api = await people.api('admin');
  const page = await open('admin');
  const screen = new DeviceScreen(page);
  for (const device of [
    ...[1, 3, 4].map((mode) => fleet.find((one) => isOnline(one) && one.mode === mode)),
    fleet.find((one) => isOnline(one) && one.fan === 0),
    diffuser.device,
  ]) {
    await page.goto(`/devices/${device.dsn}`);
    const mode = MODES[device.mode ?? 0] ?? 'Unknown';
    // Nobody knows whether an offline device is on.
    await expect(screen.product('Mode')).toContainText(isOnline(device) ? mode : mode.replace(/^On/, ''));
    // A schedule may begin or end between the two reads.
    await expect(async () => {
      const { shownIntensity } = await readDevice(api, device.dsn);
      const text = await screen.product('Intensity').textContent();
      expect(text).toMatch(new RegExp(`^${intensityText(shownIntensity)}`));
    }).toPass();
    await expect(screen.product('Off-cycle')).toContainText(CYCLES[device.cycle ?? 0] ?? 'Unknown');
    await expect(screen.product('Fan Speed')).toHaveText(device.fan === 0 ? 'Off' : String(device.fan ?? 'Unknown'));
    await expect(screen.product('Connection')).toContainText(device.connectionStatus);
    const { fragranceRemaining } = await readDevice(api, device.dsn);
    await expect(screen.product('Fragrance Remaining')).toContainText(
      fragranceRemaining === null ? 'Unknown' : `${fragranceRemaining}%`,
    );
  }
});

function intensityText({ value, schedule }: DeviceDetail['shownIntensity']): string {
  const number = String(value ?? 'Unknown');
  return schedule === null ? `${number}(of|$)` : `${number} \\(Schedule ${schedule}\\)`;
}

test('mode 2 is shown unchanged and allows no intensity', async ({ open, people, fleet }) => {
  const device = fleet.devices.find(({ mode }) => mode === 2);
  if (!device) throw new Error('the demo has no diffuser in mode 2');
  const page = await open('admin');
  await page.goto(`/devices/${device.dsn}`);
  const screen = new DeviceScreen(page);
  await expect(screen.product('Mode')).toHaveText('OffMode 2');

  const dialog = await screen.edit();
  await expect(dialog.choice('Mode', 'Mode 2')).toBeChecked();
  await expect(dialog.choices('Mode')).toHaveCount(4);
  await expect(dialog.intensity).toBeDisabled();
  await expect(dialog.root.getByText('Mode 2 has no intensity')).toBeVisible();
  await dialog.choose('Mode', '24/7');
  await expect(dialog.intensity).toBeEnabled();
  await dialog.cancel.click();

  const api = await people.api('admin');
  const settings = `/api/devices/dsns/${device.dsn}/settings`;
  const refused = await api.put(settings, { data: { intensity: device.intensity === 5 ? 6 : 5 } });
  expect(refused.status()).toBe(422);
  expect(Object.keys((await refused.json()).errors)).toEqual(['intensity']);
  expect(await readDevice(api, device.dsn)).toMatchObject({ mode: 2, intensity: device.intensity });
});

test('Online and Offline are shown and changed only by the device', async ({ open, people, diffuser }) => {
  const { dsn } = diffuser.device;
  const page = await open('admin');
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  const connection = screen.product('Connection');
  await expect(connection).toContainText('Offline');
  // The button around the time only shows the time in the reader's own zone.
  await expect(connection.locator('a, button:not(:has(time)), input, select, textarea, [role]')).toHaveCount(0);
  const dialog = await screen.edit();
  await expect(dialog.root.getByRole('radiogroup')).toHaveCount(3);
  for (const label of ['Mode', 'Off-cycle', 'Fan Speed'] as const)
    await expect(dialog.root.getByRole('radiogroup', { name: label })).toBeVisible();
  await expect(dialog.root.getByRole('textbox')).toHaveCount(1);
  await dialog.cancel.click();

  const api = await people.api('admin');
  const online = { connectionStatus: 'Online', connectedAt: new Date().toISOString() };
  expect((await api.put(`/api/devices/dsns/${dsn}/settings`, { data: online })).status()).toBe(422);
  // The body contains no field of the form.
  expect((await api.put(`/api/devices/dsns/${dsn}`, { data: online })).status()).toBe(200);
  expect((await readDevice(api, dsn)).connectionStatus).toBe('Offline');
  await expect(connection).toContainText('Offline');

  diffuser.plugIn();
  await expect(connection).toContainText('Online');
});

test('a device of another CSP is not found, on the page and by request', async ({ open, people, fleet, guard }) => {
  guard.expect(404, DEVICE);
  const { dsn } = fleet.find(({ csp }) => csp === 'Meridian Air');
  for (const person of ['otherCspAdmin', 'noRole', 'endUser'] as const) {
    const page = await open(person);
    await page.goto(`/devices/${dsn}`);
    await expect(new DeviceScreen(page).notFound).toBeVisible();
    await expect(page.getByText('Meridian Air')).toHaveCount(0);
    const api = await people.api(person);
    expect((await api.get(`/api/devices/dsns/${dsn}`)).status()).toBe(404);
    const write = await api.put(`/api/devices/dsns/${dsn}/settings`, { data: { intensity: 1 } });
    expect(write.status()).toBe(404);
  }
});

test('an unknown dsn is not found', async ({ open, guard }) => {
  guard.expect(404, DEVICE);
  const page = await open('admin');
  for (const dsn of ['AC000W999999999', 'x', '%3Cscript%3E', '..%2F..%2Fsession']) {
    await page.goto(`/devices/${dsn}`);
    const screen = new DeviceScreen(page);
    await expect(screen.notFound).toBeVisible();
  }
  await new DeviceScreen(page).back.click();
  await expect(new DeviceListScreen(page).rows).toHaveCount(5);
});

test('a device that is not found is not requested repeatedly', async ({ open, frontProxy, guard }) => {
  guard.expect(404, DEVICE);
  const page = await open('admin', { through: frontProxy });
  await page.goto('/devices/AC000W999999999');
  await expect(new DeviceScreen(page).notFound).toBeVisible();
  await expect(new Shell(page).live).toHaveText('Live');
  // Long enough for a looping page to make many more requests.
  await page.evaluate(async () => {
    for (let call = 0; call < 100; call += 1) await fetch('/api/jwt/ping');
  });
  expect(frontProxy.count(/^GET \/api\/devices\/dsns\//)).toBeLessThanOrEqual(3);
  expect(frontProxy.count(/^GET \/api\/events/)).toBeLessThanOrEqual(2);
});

test('observers read: no Settings button, and a write is refused', async ({ open, people, fleet }) => {
  const { dsn, intensity } = fleet.find(({ csp }) => csp === 'Meridian Air');
  for (const person of ['observer', 'cspObserver'] as const) {
    const page = await open(person);
    await page.goto(`/devices/${dsn}`);
    const screen = new DeviceScreen(page);
    await expect(screen.product('Intensity')).toBeVisible();
    await expect(screen.settings).toHaveCount(0);
    const api = await people.api(person);
    const write = await api.put(`/api/devices/dsns/${dsn}/settings`, { data: { intensity: 2 } });
    expect(write.status()).toBe(403);
    expect(await write.json()).toMatchObject({ code: 'forbidden' });
    expect((await readDevice(api, dsn)).intensity).toBe(intensity);
  }
});

test('the dialog offers the specified choices within the limits', async ({ open, people, fleet }) => {
  const { dsn } = fleet.claim(
    ({ systemConfiguration, csp }) => systemConfiguration === 'AQ290' && csp === 'Meridian Air',
  );
  await people
    .api('admin')
    .then((api) => api.put(`/api/devices/dsns/${dsn}/settings`, { data: { cycle: 1, mode: 3 } }));
  const page = await open('cspTech');
  await page.goto(`/devices/${dsn}`);
  const dialog = await new DeviceScreen(page).edit();
  await expect(dialog.root).toBeVisible();
  await expect(dialog.choices('Mode')).toHaveCount(3);
  for (const mode of ['Off', '24/7', 'Run']) await expect(dialog.choice('Mode', mode)).toBeEnabled();
  await expect(dialog.choices('Off-cycle')).toHaveCount(3);
  for (const cycle of Object.values(CYCLES)) await expect(dialog.choice('Off-cycle', cycle)).toBeEnabled();
  await expect(dialog.choices('Fan Speed')).toHaveCount(6);
  for (const fan of ['Off', '1', '2', '3', '4', '5']) await expect(dialog.choice('Fan Speed', fan)).toBeEnabled();
  await expect(dialog.save).toBeDisabled();

  await expect(dialog.root.getByText('1 to 49')).toBeVisible();
  await dialog.intensity.fill('49');
  await expect(dialog.slider).toHaveAttribute('aria-valuenow', '49');
  await dialog.choose('Off-cycle', 'Normal (7 Min)');
  await expect(dialog.intensity).toHaveValue('40');
  await dialog.choose('Off-cycle', 'Short (2 Min)');
  await expect(dialog.root.getByText('1 to 45')).toBeVisible();
  await dialog.intensity.fill('99');
  await dialog.intensity.blur();
  await expect(dialog.intensity).toHaveValue('45');
  await dialog.intensity.fill('');
  await dialog.intensity.blur();
  await expect(dialog.intensity).toHaveValue('1');

  await dialog.cancel.click();
  await expect(dialog.root).toBeHidden();
});

test('saved settings reach the device', async ({ open, people, fleet }) => {
  const before = fleet.claim(({ csp, mode }) => csp === 'Meridian Air' && mode === 3);
  const page = await open('cspAdmin');
  await page.goto(`/devices/${before.dsn}`);
  const screen = new DeviceScreen(page);
  const dialog = await screen.edit();
  const intensity = before.intensity === 7 ? 8 : 7;
  const fan = before.fan === 4 ? 2 : 4;
  await dialog.choose('Mode', 'Run');
  await dialog.intensity.fill(String(intensity));
  await dialog.choose('Fan Speed', String(fan));
  await dialog.save.click();

  await expect(page.getByRole('alert').filter({ hasText: 'Successfully updated device settings' })).toBeVisible();
  await expect(dialog.root).toBeHidden();
  await expect(screen.product('Mode')).toContainText('Run');
  await expect(screen.product('Intensity')).toContainText(String(intensity));
  await expect(screen.product('Fan Speed')).toContainText(String(fan));
  for (const setting of ['Mode', 'Intensity', 'Fan Speed'] as const)
    await expect(screen.command(setting)).toHaveCount(0);

  const { commands, ...after } = await readDevice(await people.api('cspAdmin'), before.dsn);
  expect(after).toMatchObject({ mode: 4, intensity, fan, cycle: before.cycle });
  expect(commands).toMatchObject({
    mode: { state: 'acknowledged', value: 4, reported: 4 },
    intensity: { state: 'acknowledged', value: intensity, reported: intensity },
    fan: { state: 'acknowledged', value: fan, reported: fan },
  });
  expect(commands.cycle).toBeUndefined();
});

test('settings whose answer was lost are saved once if repeated, and again after others', async ({
  open,
  people,
  fleet,
  guard,
}) => {
  guard.expect('broken', DEVICE);
  guard.expect(409, DEVICE);
  const { dsn } = fleet.claim(({ csp, intensity }) => csp === 'Meridian Air' && intensity !== null && intensity > 7);
  const api = await people.api('cspAdmin');
  const page = await open('cspAdmin');
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  const dialog = await screen.edit();
  const save = async (intensity: number) => {
    await dialog.intensity.fill(String(intensity));
    await dialog.save.click();
  };
  const lost = page.getByRole('alert').filter({ hasText: 'The server cannot be reached.' });

  const repeated = await loseAnswer(page, '**/settings', 'PUT');
  await save(5);
  await expect(lost).toBeVisible();
  await save(5);
  await expect(dialog.root).toBeHidden();
  expect(repeated).toHaveLength(2);
  expect(repeated[1]).toBe(repeated[0]);

  await page.unroute('**/settings');
  const keys = await loseAnswer(page, '**/settings', 'PUT');
  await screen.edit();
  await save(7);
  await expect(lost).toBeVisible();
  await save(6);
  await expect(dialog.root).toBeHidden();
  await screen.edit();
  await save(7);
  await expect(dialog.root).toBeHidden();
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(3);
  expect((await readDevice(api, dsn)).intensity).toBe(7);
  const response = await api.get(`/api/audit?target=${dsn}&operation=update_device_settings`);
  const entries: { changes: { field: string; after: unknown }[] }[] = (await response.json()).entries;
  const saved = entries.flatMap(({ changes }) => changes).filter(({ field }) => field === 'intensity');
  expect(saved.slice(0, 4).map(({ after }) => after)).toEqual([7, 6, 7, 5]);

  // The value of somebody else in between is not called saved over.
  await page.unroute('**/settings');
  await loseAnswer(page, '**/settings', 'PUT');
  await screen.edit();
  await save(6);
  await expect(lost).toBeVisible();
  const other = await people.api('admin');
  expect((await other.put(`/api/devices/dsns/${dsn}/settings`, { data: { intensity: 4 } })).status()).toBe(200);
  await save(6);
  await expect(
    page.getByRole('alert').filter({ hasText: 'This was saved already, and has been changed since.' }),
  ).toBeVisible();
  await save(6);
  const changed = dialog.root.getByRole('region', { name: 'Changed by somebody else in the meantime' });
  await expect(changed.getByRole('definition')).toHaveText([/^4/, '6']);
  expect((await readDevice(api, dsn)).intensity).toBe(4);
  await changed.getByRole('button', { name: 'Keep mine: Intensity' }).click();
  await dialog.save.click();
  await expect(dialog.root).toBeHidden();
  expect((await readDevice(api, dsn)).intensity).toBe(6);
});

test('a failed save shows the reason and keeps the dialog', async ({ open, fleet, system, guard }) => {
  guard.expect(502, DEVICE);
  const { dsn } = fleet.claim();
  const page = await open('admin');
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  const dialog = await screen.edit();
  system.cloudProxy.fail({ match: /^POST .*datapoint/, status: 500 });
  await dialog.intensity.fill((await dialog.intensity.inputValue()) === '9' ? '10' : '9');
  await dialog.save.click();
  await expect(page.getByRole('alert').filter({ hasText: /^Failed to save device settings\. .+/ })).toBeVisible();
  await expect(dialog.root).toBeVisible();
  system.cloudProxy.heal();
  await dialog.save.click();
  await expect(page.getByRole('alert').filter({ hasText: 'Successfully updated device settings' })).toBeVisible();
});

test('impossible settings are refused by the server, by field', async ({ people, fleet }) => {
  const { dsn } = fleet.claim(({ systemConfiguration }) => systemConfiguration !== 'AQ290');
  const api = await people.api('admin');
  const before = await readDevice(api, dsn);
  for (const [field, value] of [
    ['mode', 0],
    ['mode', 2],
    ['mode', 5],
    ['cycle', 4],
    ['fan', 6],
    ['fan', -1],
    ['intensity', 0],
    ['intensity', 51],
  ] as const) {
    const answer = await api.put(`/api/devices/dsns/${dsn}/settings`, { data: { [field]: value } });
    expect([field, value, answer.status()]).toEqual([field, value, 422]);
    const { errors } = await answer.json();
    expect(Object.keys(errors)).toEqual([field]);
  }
  expect((await api.put(`/api/devices/dsns/${dsn}/settings`, { data: {} })).status()).toBe(422);
  const after = await readDevice(api, dsn);
  expect(after.commands).toEqual(before.commands);
});

test('a write from another origin is refused', async ({ people, fleet }) => {
  const { dsn } = fleet.claim();
  const api = await people.api('admin');
  const answer = await api.put(`/api/devices/dsns/${dsn}/settings`, {
    data: { intensity: 3 },
    headers: { origin: 'https://evil.example' },
  });
  expect(answer.status()).toBe(403);
  expect(await answer.json()).toMatchObject({ code: 'foreign_origin' });
});
