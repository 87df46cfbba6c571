import type { APIRequestContext } from '@playwright/test';
import type { DeviceList } from '../../web/src/api/schema.gen';
import { expectAccessibleInBothSchemes } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { readDevices } from '../harness/fleet';
import { DeviceListScreen, type FacetCount } from '../screens/device-list';
import { DESK, PHONE } from '../screens/sizes';

const exactly = (value: string) => `"${value}"`;

/** The number of devices that the list has with these filters. */
async function totalOf(api: APIRequestContext, filters: Record<string, string>): Promise<number> {
  const list: DeviceList = await (await api.get('/api/devices', { params: filters })).json();
  return list.total;
}

/** Checks that each number is that of the list with this filter of the value and the others. */
async function expectTotals(
  api: APIRequestContext,
  counts: readonly FacetCount[],
  filtersOf: (value: string) => Record<string, string>,
): Promise<void> {
  expect(counts.length).toBeGreaterThan(3);
  for (const { value, devices } of counts) expect(await totalOf(api, filtersOf(value)), value).toBe(devices);
  const numbers = counts.map(({ devices }) => devices);
  expect(numbers).toEqual([...numbers].sort((one, other) => other - one));
}

/** The sorted values that devices have. */
function distinct(values: readonly (string | null)[]): string[] {
  return [...new Set(values.filter((value) => value !== null))].sort();
}

test('the number beside each city is the length of the list filtered by it', async ({ open, people }) => {
  const api = await people.api('admin');
  const page = await open('admin', DESK);
  await page.goto('/devices');
  const list = new DeviceListScreen(page);
  const dialog = await list.openFilter();
  const counts = await dialog.counts('City');
  expect(counts.map(({ value }) => value).sort()).toEqual(distinct((await readDevices(api)).map(({ city }) => city)));
  await expectTotals(api, counts, (city) => ({ city: exactly(city) }));

  const [{ value, devices } = { value: '', devices: 0 }] = counts;
  await dialog.values('City').getByRole('option').first().click();
  await expect(dialog.field('City')).toHaveValue(value);
  await dialog.apply.click();
  await expect(page).toHaveURL(`/devices?${new URLSearchParams({ city: exactly(value) })}`);
  await expect(page.getByRole('button', { name: `Remove filter City: ${value}`, exact: true })).toBeVisible();
  await expect(list.footer(`Devices 1 - ${Math.min(5, devices)} of ${devices}`)).toBeVisible();
});

test('the numbers are those of the devices that match the other filters of the dialog', async ({ open, people }) => {
  const api = await people.api('admin');
  const page = await open('admin', DESK);
  await page.goto('/devices');
  const list = new DeviceListScreen(page);
  const dialog = await list.openFilter();
  await dialog.choose('CSP', 'Meridian Air');
  const counts = await dialog.counts('City');
  await expectTotals(api, counts, (city) => ({ csp: 'Meridian Air', city: exactly(city) }));
  expect(counts.at(-1)?.devices, 'cities of other CSPs come last').toBe(0);

  // A CSP itself is counted without its own filter.
  await page.keyboard.press('Escape');
  const csps = await dialog.counts('CSP');
  expect(csps.length).toBeGreaterThan(1);
  for (const { value, devices } of csps) expect(await totalOf(api, { csp: value }), value).toBe(devices);
});

test('an empty list names the filter that excludes most devices, and removes it', async ({ open, people }) => {
  const api = await people.api('admin');
  const csp = 'Meridian Air';
  const page = await open('admin', DESK);
  await page.goto(`/devices?${new URLSearchParams({ csp })}`);
  const list = new DeviceListScreen(page);
  const dialog = await list.openFilter();
  const { value: city = '', devices } = (await dialog.counts('City')).at(-1) ?? {};
  expect(devices).toBe(0);
  await dialog.values('City').getByRole('option').last().click();
  await dialog.apply.click();
  await expect(list.footer('Devices 0 - 0 of 0')).toBeVisible();
  await expect(page.getByText('No device matches the filters.')).toBeVisible();

  const withCsp = await totalOf(api, { csp });
  const withCity = await totalOf(api, { city: exactly(city) });
  expect(withCsp, 'the CSP has more devices than the city').toBeGreaterThan(withCity);
  await expect(page.getByText(`Without the filter City, ${withCsp} devices match.`)).toBeVisible();
  await page.getByRole('button', { name: 'Remove filter City', exact: true }).click();
  await expect(page).toHaveURL(`/devices?${new URLSearchParams({ csp })}`);
  await expect(list.footer(`Devices 1 - 5 of ${withCsp}`)).toBeVisible();
  await expect(list.chip('City')).toHaveCount(0);
});

for (const size of [PHONE, DESK]) {
  const { width } = size.viewport;

  test(`values are searched and chosen by keyboard at ${width} px, and the menu is accessible`, async ({
    open,
    fleet,
  }) => {
    const { city } = fleet.find(({ city }) => (city?.length ?? 0) > 4);
    const page = await open('admin', size);
    await page.goto('/devices');
    const list = new DeviceListScreen(page);
    const dialog = await list.openFilter();
    const field = dialog.field('City');
    await field.focus();
    await page.keyboard.press('ArrowDown');
    await expect(dialog.values('City')).toHaveAttribute('aria-busy', 'false');
    await page.keyboard.press('ArrowDown');
    const first = dialog.values('City').getByRole('option').first();
    await expect(field).toHaveAttribute('aria-activedescendant', (await first.getAttribute('id')) ?? '');
    await expectAccessibleInBothSchemes(page, 'the values of a filter');
    await page.keyboard.press('Escape');
    await expect(dialog.values('City')).toHaveCount(0);
    await expect(dialog.root).toBeVisible();

    await page.keyboard.type((city ?? '').slice(1).toUpperCase());
    await expect(dialog.values('City').getByRole('option', { name: city ?? '' })).toBeVisible();
    await expect(dialog.values('City')).toHaveAttribute('aria-busy', 'false');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(field).toHaveValue(city ?? '');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`/devices?${new URLSearchParams({ city: exactly(city ?? '') })}`);
  });
}

test('a refused request leaves a filter by a part of a value', async ({ open, frontProxy, guard }) => {
  guard.expect(500, /^\/api\/devices\/facets/);
  frontProxy.fail({ match: /^GET \/api\/devices\/facets/, status: 500 });
  const page = await open('admin', { ...DESK, through: frontProxy });
  await page.goto('/devices');
  const list = new DeviceListScreen(page);
  const dialog = await list.openFilter();
  await dialog.field('City').fill('Bos');
  await expect(page.getByText('Failed to load the values. You can type a value or a part of one.')).toBeVisible();
  await dialog.field('City').press('Enter');
  await expect(page).toHaveURL('/devices?city=Bos');
  await expect(list.chip('City')).toContainText('Bos');
});
