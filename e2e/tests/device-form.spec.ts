import type { Page } from '@playwright/test';
import type { DeviceForm } from '../../web/src/api/schema.gen';
import { SYSTEM_CONFIGURATIONS } from '../../web/src/domain/system-configurations';
import { expectAccessible } from '../harness/axe';
import { Diffuser } from '../harness/diffuser';
import { expect, test } from '../harness/fixtures';
import { readDevice } from '../harness/fleet';
import { DEVICES } from '../harness/guard';
import { loseAnswer, reload } from '../harness/lost-answer';
import type { Person } from '../harness/people';
import { DeviceFormScreen, type SelectLabel, type TextLabel } from '../screens/device-form';
import { DeviceListScreen } from '../screens/device-list';
import { DeviceScreen } from '../screens/device-page';
import { Shell } from '../screens/shell';
import { PHONE } from '../screens/sizes';

// The added devices stay, and other tests count the fleet.
test.use({ world: 'device form' });

/** The console's writes of device data to the cloud. */
const DATA = /^(POST|PUT) .*\/apiv1\/dsns\/[^/]+\/data\b/;
/** Four steps of adding a device, each with its name in the error. */
const STEPS = {
  CSP: /^PUT .*\/apiv1\/devices\/[^/]+\/role_labels\/associate/,
  'Time zone': /^PUT .*\/apiv1\/devices\/[^/]+\/time_zones/,
  Address: /^PUT .*\/apiv1\/devices\/[^/]+\/addr/,
  'Serial number': DATA,
};
const UNKNOWN = 'No device with that DSN was found';
const TAKEN = 'A device with this DSN has already been registered';

const COMPLETE: Required<
  Omit<DeviceForm, 'latitude' | 'longitude' | 'customerId' | 'storeNumber' | 'installedAt' | 'seen' | 'state'>
> = {
  customer: 'Harbor Hotels',
  csp: 'Meridian Air',
  serviceArea: 'Lobby',
  serialNumber: 'PL-20310',
  systemConfiguration: 'AQ290',
  fragrance: 'Amber Library',
  timeZone: 'America/Chicago',
  city: 'Milwaukee',
  country: 'United States',
};

async function openForm(page: Page, address = '/devices/add'): Promise<DeviceFormScreen> {
  await page.goto(address);
  const form = new DeviceFormScreen(page);
  await expect(form.save).toBeVisible();
  return form;
}

/** Records the requests of the page from now on. */
function callsOf(page: Page): string[] {
  const calls: string[] = [];
  page.on('request', (request) => calls.push(`${request.method()} ${new URL(request.url()).pathname}`));
  return calls;
}

const alert = (page: Page, text: string | RegExp) => page.getByRole('alert').filter({ hasText: text });

test('the form has the specified fields', async ({ open }) => {
  const form = await openForm(await open('admin'));
  const labels = await form.inputs.evaluateAll((inputs) =>
    inputs.map((input) => (input as HTMLInputElement).labels?.[0]?.textContent?.replace(' *', '')),
  );
  expect(labels).toEqual([
    'Customer',
    'CSP',
    'Service Area',
    'Customer ID',
    'Store Number',
    'Install Date',
    'Serial Number',
    'DSN',
    'System Configuration',
    'Fragrance',
    'Latitude',
    'Longitude',
    'Time Zone',
    'Country',
    'State/Province',
    'City',
  ]);
});

test('only users who see every CSP choose one', async ({ open, people, fleet }) => {
  const { dsn } = fleet.find(({ csp }) => csp === 'Meridian Air');
  const all: { name: string }[] = await (await (await people.api('admin')).get('/api/csps/all')).json();
  const seen: [Person, number][] = [
    ['admin', 1],
    ['observer', 1],
    ['cspAdmin', 0],
    ['cspTech', 0],
    ['cspObserver', 0],
  ];
  for (const [person, count] of seen) {
    const page = await open(person);
    const form = await openForm(page, `/devices/${dsn}/edit`);
    await expect(form.select('CSP')).toHaveCount(count);
    if (person === 'observer') await expect(form.select('CSP')).toBeDisabled();
    if (person === 'admin') expect((await form.options('CSP')).sort()).toEqual(all.map(({ name }) => name).sort());
    await page.close();
  }
});

test('a technician adds a device for the own CSP, whatever the request says', async ({ open, people, system }) => {
  const [typed, sent] = [system.claimStock(), system.claimStock()];
  const page = await open('cspTech');
  const form = await openForm(page);
  await form.fillIn();
  await form.text('DSN').fill(typed);
  await form.save.click();
  await expect(page).toHaveURL(`/devices/${typed}`);
  const api = await people.api('cspTech');
  const answer = await api.post('/api/devices', { data: { ...COMPLETE, csp: 'Northlight Scents', dsn: sent } });
  expect(answer.status()).toBe(201);
  for (const dsn of [typed, sent]) expect((await readDevice(api, dsn)).csp).toBe('Meridian Air');
});

test('a new device needs only the required fields and is read again', async ({ open, people, system }) => {
  const dsn = system.claimStock();
  const page = await open('admin');
  const form = await openForm(page);
  await expect(form.select('System Configuration')).toHaveValue('AQ200 Series 500 mL');
  await form.fillIn();
  await form.choose('CSP', 'Northlight Scents');
  await form.text('DSN').fill(` ${dsn} `);
  const calls = callsOf(page);
  await form.save.click();
  await expect(alert(page, 'Successfully added device')).toBeVisible();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  await expect(new DeviceScreen(page).heading).toHaveText('PL-20310');
  const writes = () => calls.filter((call) => !call.startsWith('GET ') && call.includes('/api/devices'));
  await expect.poll(writes).toEqual(['POST /api/devices', `POST /api/devices/dsns/${dsn}`]);
  expect(await readDevice(await people.api('admin'), dsn)).toMatchObject({
    ...COMPLETE,
    csp: 'Northlight Scents',
    productName: 'Lobby',
    customerId: null,
    storeNumber: null,
    state: null,
    lat: null,
    lng: null,
  });
});

test('a device whose answer was lost is added once, also after the page was loaded again', async ({
  open,
  people,
  system,
  guard,
}) => {
  guard.expect('broken', DEVICES);
  const dsn = system.claimStock();
  const page = await open('admin');
  const form = await openForm(page);
  await form.fillIn();
  await form.choose('CSP', 'Northlight Scents');
  await form.text('DSN').fill(dsn);
  const keys = await loseAnswer(page, '**/api/devices');
  await form.save.click();
  await expect(alert(page, /^Failed to add device/)).toBeVisible();

  await reload(page);
  await expect(form.restored).toBeVisible();
  await expect(form.text('DSN')).toHaveValue(dsn);
  await form.save.click();
  await expect(alert(page, 'Successfully added device')).toBeVisible();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
  const audit = await (await people.api('admin')).get(`/api/audit?target=${dsn}&operation=create_device`);
  expect((await audit.json()).entries).toHaveLength(1);
});

test('missing values are field errors, and nothing is sent', async ({ open }) => {
  const page = await open('admin');
  const form = await openForm(page);
  const calls = callsOf(page);
  await form.save.click();
  for (const label of ['Customer', 'Service Area', 'Serial Number', 'DSN', 'City'] as TextLabel[])
    await expect(form.text(label)).toHaveAccessibleDescription('Required');
  for (const label of ['CSP', 'Fragrance', 'Country'] as SelectLabel[])
    await expect(form.select(label)).toHaveAccessibleDescription('Required');
  for (const label of ['Customer ID', 'Store Number', 'Latitude', 'Longitude'] as TextLabel[])
    await expect(form.text(label)).toHaveAccessibleDescription('');
  await expect(form.text('Customer')).toBeFocused();
  await expectAccessible(page, 'form of a device with errors');
  expect(calls.filter((call) => call.startsWith('POST '))).toEqual([]);
});

for (const field of Object.keys(COMPLETE)) {
  test(`without ${field} the server refuses to add and to change`, async ({ people, fleet }) => {
    const { dsn } = fleet.find(({ csp }) => csp === 'Meridian Air');
    const api = await people.api('admin');
    const data = { ...COMPLETE, [field]: '  ' };
    for (const answer of [
      await api.post('/api/devices', { data: { ...data, dsn: 'AC000W000999999' } }),
      await api.put(`/api/devices/dsns/${dsn}`, { data }),
    ]) {
      expect(answer.status()).toBe(422);
      expect((await answer.json()).errors).toMatchObject({ [field]: ['Required'] });
    }
  });
}

test('without a dsn the server refuses to add', async ({ people }) => {
  const answer = await (await people.api('admin')).post('/api/devices', { data: COMPLETE });
  expect(answer.status()).toBe(422);
  expect((await answer.json()).errors).toEqual({ dsn: ['Required'] });
});

test('leaving the dsn field checks once whether the device can be added', async ({ open, people, fleet, system }) => {
  const { dsn: taken } = fleet.find(({ csp }) => csp === 'Quayside Services');
  const page = await open('cspTech');
  const form = await openForm(page);
  const calls = callsOf(page);
  const lookUps = () => calls.filter((call) => call.startsWith('GET /api/devices/base/'));
  for (const [dsn, text] of [
    ['AC000W000999999', UNKNOWN],
    [taken, TAKEN],
    [system.claimStock(), ''],
  ] as const) {
    calls.length = 0;
    await form.text('DSN').fill(dsn);
    expect(lookUps()).toEqual([]);
    const answered = page.waitForResponse((response) => response.url().includes('/api/devices/base/'));
    await form.text('DSN').press('Tab');
    await answered;
    await expect(form.text('DSN')).toHaveAccessibleDescription(text);
    expect(lookUps()).toEqual([`GET /api/devices/base/${dsn}`]);
    if (text === '') continue;
    // A direct request gets the same error.
    const around = await (await people.api('cspTech')).post('/api/devices', { data: { ...COMPLETE, dsn } });
    expect(around.status()).toBe(422);
    expect((await around.json()).errors).toEqual({ dsn: [text] });
  }
});

test('a failed look-up shows no error', async ({ open, frontProxy, guard }) => {
  guard.expect(502, DEVICES);
  frontProxy.fail({ match: /^GET \/api\/devices\/base\//, status: 502 });
  const page = await open('admin', { through: frontProxy });
  const form = await openForm(page);
  await form.text('DSN').fill('AC000W000999999');
  const answered = page.waitForResponse((response) => response.url().includes('/api/devices/base/'));
  await form.text('DSN').press('Tab');
  await answered;
  await expect(form.text('DSN')).toHaveAccessibleDescription('');
});

test('system configurations, fragrances and time zones are those of the server', async ({ open, people }) => {
  const api = await people.api('admin');
  const fragrances: { name: string }[] = await (await api.get('/api/fragrances')).json();
  const zones: string[] = await (await api.get('/api/time-zones')).json();
  const page = await open('admin', { timezoneId: 'America/Chicago' });
  const form = await openForm(page);
  expect(await form.options('System Configuration')).toEqual(Object.values(SYSTEM_CONFIGURATIONS));
  const names = fragrances.map(({ name }) => name);
  expect(names).toEqual([...names].sort());
  expect(await form.options('Fragrance')).toEqual(names);
  await expect(form.select('Time Zone')).toHaveValue('America/Chicago');
  expect(zones).toContain('America/Chicago');
  // `Factory` is a placeholder for machines whose time zone is not set.
  expect(zones).not.toContain('Factory');
  const offered = await form.options('Time Zone');
  expect(offered).toEqual(zones);
  // Each zone that the browser knows is offered once, by its name of today: the browser has former ones.
  const [known, former] = await page.evaluate(
    (names) => [
      Intl.supportedValuesOf('timeZone'),
      names.map((timeZone) => new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone),
    ],
    offered,
  );
  expect(Math.min(known.length, offered.length)).toBeGreaterThan(410);
  expect(known.filter((zone) => !former.includes(zone))).toEqual([]);
  expect(new Set(former).size).toBe(former.length);
  for (const name of ['Asia/Calcutta', 'Europe/Kiev', 'EST', 'Etc/GMT+5']) expect(offered).not.toContain(name);
});

test('regions follow the country, those of the US and Canada with their codes', async ({ open }) => {
  const form = await openForm(await open('admin'));
  const state = form.select('State/Province');
  await expect(state).toBeDisabled();
  for (const [country, region] of [
    ['United States', 'WI - Wisconsin'],
    ['Canada', 'ON - Ontario'],
    ['Mexico', 'Jalisco'],
  ] as const) {
    await form.choose('Country', country);
    await expect(state).toHaveValue('');
    expect(await form.options('State/Province')).toContain(region);
    await form.choose('State/Province', region);
    await expect(state).toHaveValue(region);
  }
});

test.describe('Detect Location', () => {
  /** Replaces the browser's geolocation in the loaded page: with a position or an error code. */
  async function locate(page: Page, answer: { latitude: number; longitude: number } | number): Promise<void> {
    await page.evaluate((answer) => {
      const getCurrentPosition: Geolocation['getCurrentPosition'] = (found, failed) => {
        if (typeof answer === 'number') failed?.({ code: answer } as GeolocationPositionError);
        else found({ coords: answer } as GeolocationPosition);
      };
      Object.defineProperty(navigator, 'geolocation', { value: { getCurrentPosition }, configurable: true });
    }, answer);
  }

  const FAILURES = [
    [1, 'User denied the request for Geolocation.'],
    [2, 'Location information is unavailable.'],
    [3, 'The request to get user location timed out.'],
    [0, 'An unknown error occurred.'],
  ] as const;

  test('shows the reason of each failure, then fills both fields with six decimals', async ({ open }) => {
    const page = await open('admin');
    const form = await openForm(page);
    for (const [code, text] of FAILURES) {
      await test.step(text, async () => {
        await locate(page, code);
        await form.detectLocation.click();
        await expect(alert(page, text)).toBeVisible();
        await expect(form.text('Latitude')).toHaveValue('');
      });
    }
    await locate(page, { latitude: 43.03891234, longitude: -87.9065 });
    await form.detectLocation.click();
    await expect(form.text('Latitude')).toHaveValue('43.038912');
    await expect(form.text('Longitude')).toHaveValue('-87.906500');
  });

  test('is shown only if the browser supports geolocation', async ({ open }) => {
    const page = await open('admin');
    await expect((await openForm(page)).detectLocation).toBeVisible();
    await page.addInitScript(() => Object.defineProperty(navigator, 'geolocation', { value: undefined }));
    await expect((await openForm(page)).detectLocation).toHaveCount(0);
  });
});

test('all fields of a device but its dsn can be changed, and it is read again', async ({ open, people, fleet }) => {
  const { dsn } = fleet.claim(({ csp }) => csp === 'Meridian Air');
  const api = await people.api('cspAdmin');
  const before = await readDevice(api, dsn);
  const page = await open('cspAdmin');
  await page.goto(`/devices/${dsn}`);
  await new DeviceScreen(page).editDevice.click();
  const form = new DeviceFormScreen(page);
  await expect(form.text('DSN')).toHaveValue(dsn);
  await expect(form.text('DSN')).not.toBeEditable();
  await form.text('Customer').fill('No such customer');
  await expect(form.text('Customer')).toHaveAccessibleDescription('New customer');
  await form.text('Customer').fill((before.customer ?? '').slice(1).toUpperCase());
  await page.getByRole('option', { name: before.customer ?? '', exact: true }).click();
  await expect(form.text('Customer')).toHaveValue(before.customer ?? '');
  await expect(form.text('Customer')).toHaveAccessibleDescription('');
  await form.text('Customer').fill('Harbor Inns');
  await form.text('Service Area').fill('Spa');
  await form.text('Customer ID').fill('');
  const calls = callsOf(page);
  await form.save.click();
  await expect(alert(page, 'Successfully updated device')).toBeVisible();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  await expect(page.getByText('Harbor Inns').first()).toBeVisible();
  const writes = () => calls.filter((call) => !call.startsWith('GET ') && call.includes('/api/devices'));
  await expect.poll(writes).toEqual([`PUT /api/devices/dsns/${dsn}`, `POST /api/devices/dsns/${dsn}`]);
  const { fragrance, city, lat, lng, csp, timeZone, street, zip } = before;
  const same = { dsn, fragrance, city, lat, lng, csp, timeZone, street, zip };
  expect(await readDevice(api, dsn)).toMatchObject({
    ...same,
    customer: 'Harbor Inns',
    serviceArea: 'Spa',
    productName: 'Spa',
    customerId: null,
  });
});

test('an interrupted addition shows its progress, keeps the form and can be repeated', async ({
  open,
  system,
  guard,
}) => {
  guard.expect(502, DEVICES);
  const dsn = system.claimStock();
  const page = await open('cspTech');
  const form = await openForm(page);
  await form.fillIn();
  await form.text('DSN').fill(dsn);
  for (const [step, match] of Object.entries(STEPS)) {
    const mend = system.cloudProxy.fail({ match, status: 500 });
    // The error of the step before may still be visible.
    const refused = page.waitForResponse((answer) => answer.request().method() === 'POST' && answer.status() === 502);
    await form.save.click();
    await refused;
    const said = new RegExp(`^Failed to add device\\. The device was not added\\. ${step} was not saved: .+`);
    await expect(alert(page, said)).toBeVisible();
    await expect(form.save).toBeEnabled();
    await expect(form.text('Customer')).toHaveValue('Harbor Hotels');
    await expect(page).toHaveURL('/devices/add');
    mend();
  }
  await form.save.click();
  await expect(alert(page, 'Successfully added device')).toBeVisible();
  await expect(page).toHaveURL(`/devices/${dsn}`);
});

test('a failed change shows the reason and keeps the form', async ({ open, fleet, system, guard }) => {
  guard.expect(502, DEVICES);
  const { dsn } = fleet.claim();
  const page = await open('admin');
  const form = await openForm(page, `/devices/${dsn}/edit`);
  await form.text('Customer').fill('Harbor Inns');
  system.cloudProxy.fail({ match: DATA, status: 500 });
  await form.save.click();
  await expect(alert(page, /^Failed to update device\. Customer was not saved: .+/)).toBeVisible();
  await expect(form.text('Customer')).toHaveValue('Harbor Inns');
  await expect(page).toHaveURL(`/devices/${dsn}/edit`);
});

test('users who may not edit see the form but cannot change it', async ({ open, people, fleet }) => {
  const { dsn } = fleet.find(({ csp }) => csp === 'Meridian Air');
  for (const [person, inputs] of [
    ['observer', 16],
    ['cspObserver', 15],
  ] as const) {
    const form = await openForm(await open(person), `/devices/${dsn}/edit`);
    await expect(form.inputs).toHaveCount(inputs);
    for (const input of await form.inputs.all()) await expect(input).toBeDisabled();
    await expect(form.save).toBeDisabled();
    const write = await (await people.api(person)).put(`/api/devices/dsns/${dsn}`, { data: COMPLETE });
    expect(write.status()).toBe(403);
  }
});

test('users who may not add devices see a notice', async ({ open, people }) => {
  for (const person of ['observer', 'cspObserver', 'noRole'] as const) {
    const page = await open(person);
    await page.goto('/devices/add');
    await expect(new Shell(page).refused).toBeVisible();
    await expect(page).toHaveURL('/devices/add');
    await page.getByRole('link', { name: 'Go to Devices' }).click();
    await expect(new DeviceListScreen(page).heading).toBeVisible();
    const api = await people.api(person);
    expect((await api.post('/api/devices', { data: { ...COMPLETE, dsn: 'AC000W000999999' } })).status()).toBe(403);
    expect((await api.get('/api/devices/base/AC000W000999999')).status()).toBe(403);
  }
});

test('unsaved changes are not lost by accident', async ({ open, fleet }) => {
  const { dsn, customer } = fleet.find(({ csp }) => csp === 'Meridian Air');
  const page = await open('cspTech');
  await page.goto(`/devices/${dsn}`);
  await new DeviceScreen(page).editDevice.click();
  const form = new DeviceFormScreen(page);
  await form.text('Customer').fill('Harbor Inns');
  await page.goBack();
  await expect(form.leave).toBeVisible();
  await expectAccessible(page, 'leave without saving?');
  await form.leave.getByRole('button', { name: 'Stay' }).click();
  await expect(form.leave).toBeHidden();
  await expect(page).toHaveURL(`/devices/${dsn}/edit`);

  const asked = page.waitForEvent('dialog');
  const reloaded = page.reload();
  const question = await asked;
  expect(question.type()).toBe('beforeunload');
  await question.accept();
  await reloaded;
  await expect(form.restored).toBeVisible();
  await expect(form.text('Customer')).toHaveValue('Harbor Inns');
  await form.discard.click();
  await expect(form.text('Customer')).toHaveValue(customer ?? '');
  await form.cancel.click();
  await expect(new DeviceScreen(page).heading).toBeVisible();
});

test('a technician with a phone adds a device from stock and sees it come online', async ({ open, people, system }) => {
  const dsn = system.claimStock();
  const page = await open('cspTech', PHONE);
  await page.goto('/devices');
  await new DeviceListScreen(page).addDevice.tap();
  const form = new DeviceFormScreen(page);
  await expect(form.save).toBeInViewport();
  await form.fillIn();
  await form.text('DSN').fill(dsn);
  await form.save.tap();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  await expect(screen.product('Connection')).toHaveText('Never connected');

  const diffuser = new Diffuser(system, await readDevice(await people.api('cspTech'), dsn));
  try {
    diffuser.plugIn();
    await expect(screen.product('Connection')).toContainText('Online');
  } finally {
    await diffuser.pullOut();
  }
  await screen.back.tap();
  await expect(page).toHaveURL('/devices');
});
