import { device, deviceDetail, deviceList, fakeApi, ok, problem, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import type { DeviceView } from '@/api/schema.gen';

beforeEach(() => localStorage.clear());

/** In this zone the day is another one than in the browser's. */
const ZONE = 'Pacific/Auckland';
const DAY_MS = 86_400_000;

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
const day = (iso: string) =>
  new Date(iso).toLocaleDateString('en-US', { timeZone: ZONE, month: 'short', day: 'numeric' });

/** Noon of UTC is the next day in Auckland. */
const noon = (days: number) => `${inDays(days).slice(0, 10)}T12:00:00Z`;

const offline = (days: number): Partial<DeviceView> => ({
  connectionStatus: 'Offline',
  connectionChangedAt: inDays(-days),
});
const withoutForecast = (forecastObstacle: DeviceView['forecastObstacle'], percent = 12): Partial<DeviceView> => ({
  supply: percent > 20 ? 'other' : 'low',
  forecastObstacle,
  fragranceRemaining: percent,
});

const rows: [Partial<DeviceView>, string | undefined][] = [
  [{ supply: 'empty', emptySince: noon(-9), fragranceRemaining: 0 }, `empty since ${day(noon(-9))}`],
  [
    { supply: 'empty', emptySince: noon(-9), fragranceRemaining: 0, isProvisional: true },
    `empty since ${day(noon(-9))}, provisional`,
  ],
  [{ supply: 'empty', emptySince: noon(-30), fragranceRemaining: 0, ...offline(26) }, `empty since ${day(noon(-30))}`],
  [{ supply: 'empty', fragranceRemaining: 0 }, 'empty'],
  [{ supply: 'forecast', runsDryAt: noon(5) }, `runs dry ${day(noon(5))}`],
  [{ supply: 'forecast', runsDryAt: noon(5), isProvisional: true }, `runs dry ${day(noon(5))}, provisional`],
  [{ supply: 'forecast', runsDryAt: noon(5), ...offline(3) }, `runs dry ${day(noon(5))}`],
  [{ supply: 'forecast', runsDryAt: inDays(-2) }, 'about to run dry'],
  [
    { supply: 'no_contact', forecastObstacle: 'passed_offline', fragranceRemaining: 55, ...offline(26) },
    'no contact for 26 days, 55% then',
  ],
  [
    { supply: 'no_contact', forecastObstacle: 'passed_offline', fragranceRemaining: 2, ...offline(0.5) },
    'no contact today, 2% then',
  ],
  [{ ...withoutForecast('offline'), ...offline(40) }, 'no contact for 40 days, 12% then'],
  [{ ...withoutForecast('offline', 55), ...offline(40) }, 'no contact for 40 days, 55% then'],
  [withoutForecast('off'), 'no forecast: switched off'],
  [{ ...withoutForecast('off'), ...offline(3) }, 'no forecast: switched off'],
  [withoutForecast('no_flow'), 'no forecast: no flow rate known'],
  [withoutForecast('no_fragrance'), 'no forecast: fragrance not in the catalogue'],
  [withoutForecast('unknown_cartridge'), 'no forecast: cartridge size unknown'],
  [withoutForecast('unknown_level'), 'no forecast: running hours unknown'],
  [withoutForecast('empty_schedule'), 'no forecast: schedule never runs'],
  [withoutForecast('unknown_use'), 'no forecast: use unknown'],
  [withoutForecast('no_use'), 'no forecast: uses nothing'],
  [withoutForecast('too_far_ahead'), 'no forecast: lasts for years'],
  [withoutForecast(null), 'no forecast yet'],
  [withoutForecast('off', 64), undefined],
  [{ supply: 'other', fragranceRemaining: null }, undefined],
];

/** Statements begin so. */
const STATEMENT = /^(empty|runs dry|about to|no contact|no forecast)/;
const TIME = /[A-Z][a-z]{2} \d+|for \d+ days?|today/g;

test.each(rows)('list and page make the same statement about a device like %j: %s', async (part, statement) => {
  const known = { dsn: 'A1', serialNumber: 'S-1', timeZone: ZONE, ...part };
  fakeApi({
    'GET /api/session': () => ok(session),
    'GET /api/devices': () => ok(deviceList([device(known)])),
    'GET /api/devices/counts': () => problem(503, 'not_ready'),
    'GET /api/devices/dsns/A1': () => ok(deviceDetail(known)),
  });
  renderApp('/devices');
  const row = within((await screen.findByText('S-1')).closest('tr') as HTMLElement);
  const inList = row.queryByText(STATEMENT)?.textContent ?? undefined;
  expect(inList).toBe(statement);
  expect(inList?.match(TIME)?.length ?? 0).toBeLessThanOrEqual(1);
  cleanup();

  renderApp('/devices/A1');
  const product = within(await screen.findByRole('region', { name: 'Product' }));
  expect(product.queryByText(STATEMENT)?.textContent ?? undefined).toBe(statement);
});

test('while devices are in the order of need, each group has a heading', async () => {
  const groups = ['empty', 'empty', 'forecast', 'no_contact', 'low', 'other'] as const;
  const devices = groups.map((supply, place) => device({ dsn: `A${place}`, serialNumber: `S-${place}`, supply }));
  fakeApi({
    'GET /api/session': () => ok(session),
    'GET /api/devices': () => ok(deviceList(devices)),
    'GET /api/devices/counts': () => problem(503, 'not_ready'),
  });
  renderApp('/devices?order_by=runsdry&order=asc');
  await screen.findByText('S-5');
  const texts = screen.getAllByRole('row').map(({ textContent }) => textContent?.match(/S-\d/)?.[0] ?? textContent);
  expect(texts.slice(1)).toEqual([
    'Empty',
    'S-0',
    'S-1',
    'With a forecast',
    'S-2',
    'No contact, and likely dry by now',
    'S-3',
    'Low, without a forecast',
    'S-4',
    'Without a forecast',
    'S-5',
  ]);
});

test('the columns for supply show what is put where, and are remembered', async () => {
  const full = device({
    serialNumber: 'S-1',
    customerId: 'C-9',
    storeNumber: '7',
    street: 'Storgata 1',
    zip: '0155',
    city: 'Oslo',
  });
  fakeApi({
    'GET /api/session': () => ok(session),
    'GET /api/devices': () => ok(deviceList([full])),
    'GET /api/devices/counts': () => problem(503, 'not_ready'),
  });
  renderApp('/devices');
  await userEvent.click(await screen.findByRole('button', { name: 'Supply columns', pressed: false }));
  const expectValues = async () => {
    const row = within((await screen.findByText('S-1')).closest('tr') as HTMLElement);
    for (const text of ['C-9', '7', 'Storgata 1', '0155 Oslo', 'White Tea', 'WT-1', '500 mL']) {
      expect(row.getByText(text)).toBeVisible();
    }
  };
  await expectValues();
  cleanup();
  renderApp('/devices');
  await expectValues();
  await userEvent.click(await screen.findByRole('button', { name: 'Supply columns', pressed: true }));
  expect(screen.queryByText('WT-1')).not.toBeInTheDocument();
});
