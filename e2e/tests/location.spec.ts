import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../harness/fixtures';
import { readDevice } from '../harness/fleet';
import { DeviceFormScreen } from '../screens/device-form';
import { DESK, PHONE } from '../screens/sizes';

const PARIS = { latitude: 48.8566, longitude: 2.3522 };
const MILWAUKEE = { latitude: 43.0389, longitude: -87.9065 };
const TOKYO = { latitude: 35.6812, longitude: 139.7671 };
const ALL = 'coordinates, time zone, country';

const COUNTRIES = [
  { city: 'Paris', geolocation: PARIS, zone: 'Europe/Paris', country: 'France', state: '', filled: ALL },
  {
    city: 'Milwaukee',
    geolocation: MILWAUKEE,
    zone: 'America/Chicago',
    country: 'United States',
    state: 'WI - Wisconsin',
    filled: `${ALL}, state or province`,
  },
  { city: 'Tokyo', geolocation: TOKYO, zone: 'Asia/Tokyo', country: 'Japan', state: '', filled: ALL },
];

/** A browser whose time zone differs from that of every position here, as with a travelling technician. */
const at = (geolocation: { latitude: number; longitude: number }) => ({
  geolocation,
  permissions: ['geolocation'],
  timezoneId: 'UTC',
});

async function openForm(page: Page, address = '/devices/add'): Promise<DeviceFormScreen> {
  await page.goto(address);
  const form = new DeviceFormScreen(page);
  await expect(form.save).toBeVisible();
  return form;
}

const line = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text });

for (const { city, geolocation, zone, country, state, filled } of COUNTRIES) {
  test(`${city}: Detect Location fills coordinates, time zone and country`, async ({ open }) => {
    const page = await open('cspTech', { ...PHONE, ...at(geolocation) });
    const form = await openForm(page);
    await expect(form.select('Time Zone')).toHaveValue('UTC');
    await form.detectLocation.tap();
    await expect(form.select('Time Zone')).toHaveValue(zone);
    await expect(form.text('Latitude')).toHaveValue(geolocation.latitude.toFixed(6));
    await expect(form.text('Longitude')).toHaveValue(geolocation.longitude.toFixed(6));
    await expect(form.select('Country')).toHaveValue(country);
    await expect(form.select('State/Province')).toHaveValue(state);
    await expect(line(page, `Filled in from your position: ${filled}.`)).toBeVisible();
  });
}

test('detected values are stored, and a chosen time zone and country are kept', async ({ open, people, fleet }) => {
  const { dsn } = fleet.claim(({ csp }) => csp === 'Meridian Air');
  const api = await people.api('cspTech');
  const page = await open('cspTech', { ...PHONE, ...at(PARIS) });
  const form = await openForm(page, `/devices/${dsn}/edit`);
  await form.choose('Time Zone', 'UTC');
  await form.choose('Country', 'Norway');
  await form.save.click();
  await expect(page).toHaveURL(`/devices/${dsn}`);

  await openForm(page, `/devices/${dsn}/edit`);
  await form.detectLocation.tap();
  await expect(line(page, 'Filled in from your position: coordinates, time zone. Not changed: country.')).toBeVisible();
  await form.save.click();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  const paris = { lat: PARIS.latitude, lng: PARIS.longitude, timeZone: 'Europe/Paris', country: 'Norway' };
  await expect.poll(() => readDevice(api, dsn)).toMatchObject(paris);

  await page.context().setGeolocation(TOKYO);
  await openForm(page, `/devices/${dsn}/edit`);
  await form.detectLocation.tap();
  await expect(line(page, 'Filled in from your position: coordinates. Not changed: time zone, country.')).toBeVisible();
  await expect(form.select('Time Zone')).toHaveValue('Europe/Paris');
  await expect(form.text('Latitude')).toHaveValue('35.681200');
});

test('a time zone chosen by the user is kept on the form of a new device', async ({ open }) => {
  const page = await open('cspTech', { ...DESK, ...at(PARIS) });
  const form = await openForm(page);
  await form.choose('Time Zone', 'America/Chicago');
  await form.detectLocation.click();
  await expect(line(page, 'Filled in from your position: coordinates, country. Not changed: time zone.')).toBeVisible();
  await expect(form.select('Time Zone')).toHaveValue('America/Chicago');
  await expect(form.select('Country')).toHaveValue('France');
});

test('without a response of the server only the coordinates are filled in, and a notice asks for the rest', async ({
  open,
  guard,
}) => {
  guard.expect(429, /^\/api\/places$/);
  const page = await open('cspTech', { ...PHONE, ...at(PARIS) });
  await page.route('**/api/places?*', (route) => route.fulfill({ status: 429, json: { code: 'too_many_requests' } }));
  const form = await openForm(page);
  await form.detectLocation.tap();
  const text = 'The time zone and country of your position could not be read. Please choose them.';
  await expect(page.getByRole('alert').filter({ hasText: text })).toBeVisible();
  await expect(form.text('Latitude')).toHaveValue('48.856600');
  await expect(form.select('Time Zone')).toHaveValue('UTC');
});

/** Waits until the list, which each key shortens, is next to its field again. */
async function waitForListBeside(page: Page, field: Locator): Promise<void> {
  await expect
    .poll(async () => {
      const [list, input] = await Promise.all([page.getByRole('listbox').boundingBox(), field.boundingBox()]);
      if (!list || !input) return Number.POSITIVE_INFINITY;
      return Math.max(input.y - (list.y + list.height), list.y - (input.y + input.height));
    })
    .toBeLessThan(24);
}

for (const [by, size] of [
  ['mouse', DESK],
  ['touch', PHONE],
] as const) {
  test(`typing into a searchable field replaces the shown choice, by ${by}`, async ({ open, fleet }) => {
    const page = await open('admin', { ...size, timezoneId: 'UTC' });
    const press = async (field: ReturnType<DeviceFormScreen['select']>) =>
      size === PHONE ? field.tap() : field.click();
    const form = await openForm(page);
    for (const [label, text, option] of [
      ['Time Zone', 'Paris', 'Europe/Paris'],
      ['Country', 'Norw', 'Norway'],
      ['Country', 'Japan', 'Japan'],
      ['State/Province', 'Tok', 'Tokyo'],
      ['Fragrance', 'Amber', 'Amber Library'],
      ['CSP', 'Merid', 'Meridian Air'],
      ['CSP', 'North', 'Northlight Scents'],
    ] as const) {
      await press(form.select(label));
      await page.keyboard.type(text);
      await expect(form.select(label)).toHaveValue(text);
      await waitForListBeside(page, form.select(label));
      await press(page.getByRole('option', { name: option, exact: true }));
      await expect(form.select(label)).toHaveValue(option);
    }
    // Types again in the field that still has the focus.
    await press(form.select('CSP'));
    await page.keyboard.type('Merid');
    await expect(form.select('CSP')).toHaveValue('Merid');
    await waitForListBeside(page, form.select('CSP'));
    await press(page.getByRole('option', { name: 'Meridian Air', exact: true }));

    await page.goto('/devices?csp=Meridian+Air');
    await press(page.getByRole('button', { name: 'Filter', exact: true }));
    const filter = page.getByRole('dialog').getByRole('combobox', { name: 'CSP' });
    await expect(filter).toHaveValue('Meridian Air');
    await press(filter);
    await page.keyboard.type('North');
    await expect(filter).toHaveValue('North');

    await page.goto(`/devices/${fleet.find(({ csp }) => csp === 'Meridian Air').dsn}`);
    await press(page.getByRole('button', { name: 'Add Notification' }));
    const country = page.getByRole('dialog').getByRole('combobox', { name: 'Country' });
    await press(country);
    await page.keyboard.type('Norw');
    await expect(country).toHaveValue('Norw');
  });
}
