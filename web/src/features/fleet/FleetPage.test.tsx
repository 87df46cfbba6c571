import { type Call, fakeApi, ok, problem, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FleetDay, FleetHistory } from '@/api/schema.gen';
import { dateTime } from '@/browser/time';

const HISTORY = 'GET /api/fleet/history';

/** jsdom does not paint, so the chart is only its label here. */
const painter = vi.hoisted(() => ({ fails: false }));
vi.mock('@/ui/charts/SeriesChart', () => ({
  SeriesChart: ({ label, series }: { label: string; series: { name: string; color: string }[] }) => {
    if (painter.fails) throw new Error('the code could not be fetched');
    const of = (part: 'name' | 'color') => series.map((one) => one[part]);
    return <div role="img" aria-label={`${label}: ${of('name').join(', ')}`} data-colors={of('color').join()} />;
  },
}));

beforeEach(() => {
  painter.fails = false;
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1');
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue();
});

afterEach(() => {
  vi.useRealTimers();
});

/** The first hours of a day; the others are unknown. */
const hours = (...known: (number | null)[]) =>
  Array.from({ length: 24 }, (_, hour) => known[hour] ?? null) as FleetDay['online'];

const day = (day: string, part: Partial<FleetDay> = {}): FleetDay => ({
  day,
  devices: 5,
  online: hours(4, null, 2),
  levels: { empty: 1, low: 0, medium: 2, high: 1, unknown: 1 },
  refills: 1,
  usedMl: 30.26,
  usedDevices: 4,
  ...part,
});

const nothing: Partial<FleetDay> = {
  devices: null,
  online: hours(),
  levels: null,
  refills: null,
  usedMl: null,
  usedDevices: 0,
};

const history: FleetHistory = {
  days: [day('2026-11-18', nothing), day('2026-11-19'), day('2026-11-20', { usedMl: null })],
  fragrances: { groups: [{ name: 'Fig', usedMl: [null, 20, null] }], othersMl: [null, 10.26, null] },
  customers: { groups: [{ name: null, usedMl: [null, 5.25, null] }], othersMl: [null, 25, null] },
  recordedSince: '2026-11-20T09:00:00Z',
  histories: null,
  sums: { from: '2026-11-18', to: '2026-11-19', usedMl: 1230.4, refills: 3, devices: 5, empty: 0 },
  sumsBefore: { from: '2026-11-16', to: '2026-11-17', usedMl: 1000, refills: 3, devices: 8, empty: 0 },
};

async function open(answer: (call: Call) => Response, address = '/fleet', part: object = {}) {
  const api = fakeApi({
    'GET /api/session': () => ok({ ...session, ...part }),
    'GET /api/csps/all': () => ok([{ id: '1', name: 'North' }]),
    'GET /api/devices/customers': ({ url }) =>
      ok(url.searchParams.get('text') ? ['Hotel Aurora'] : ['Aurora Spa', 'Hotel Aurora']),
    'GET /api/fragrances': () => ok([{ name: 'Fig', sku: 'F', density: 1, flow: {} }]),
    'GET /api/fleet/stores': () => new Response('Row,Customer\r\n'),
    [HISTORY]: answer,
  });
  const { router } = renderApp(address);
  await screen.findByRole('heading', { name: 'Fleet', level: 1 });
  return { api, router };
}

const asked = ({ calls }: { calls: Call[] }) =>
  calls.filter(({ url }) => url.pathname === '/api/fleet/history').map(({ url }) => url.search);

const block = async (name: string) => within(await screen.findByRole('region', { name }));

const rowsOf = (table: HTMLElement) =>
  within(table)
    .getAllByRole('row')
    .map((row) => [...row.children].map(({ textContent }) => textContent));

test('charts show the devices over time, and say since when they are recorded', async () => {
  await open(() => ok(history));
  const pictures = await screen.findAllByRole('img', { name: /^Chart of/ });
  expect(pictures.map((picture) => picture.getAttribute('aria-label'))).toEqual([
    'Chart of the devices online by hour, from Nov 18 to Nov 20: Online',
    'Chart of the devices by level, from Nov 18 to Nov 21: Empty, 1–20%, 21–50%, 51–100%, Unknown',
    'Chart of the refills a week, from Nov 16 to Nov 23: Refills',
    'Chart of the use in mL a day by fragrance, from Nov 18 to Nov 20: Fig, All others',
    'Chart of the use in mL a day by customer, from Nov 18 to Nov 20: No customer, All others',
  ]);
  expect(screen.getByText(/^Recorded since Nov 20\./)).toBeVisible();
});

test.each([
  [
    'Devices online by hour',
    ['Day', 'Devices', 'Lowest', 'Average', 'Highest'],
    ['Nov 19', '5', '2', '3', '4'],
    ['Nov 18', '–', '–', '–', '–'],
  ],
  [
    'Devices by level',
    ['Day', 'Empty', '1–20%', '21–50%', '51–100%', 'Unknown'],
    ['Nov 19', '1', '0', '2', '1', '1'],
    ['Nov 18', '–', '–', '–', '–', '–'],
  ],
  [
    'Use in mL a day by fragrance',
    ['Day', 'Total', 'Fig', 'All others'],
    ['Nov 19', '30 mL', '20 mL', '10 mL'],
    ['Nov 18', '–', '–', '–'],
  ],
  [
    'Use in mL a day by customer',
    ['Day', 'Total', 'No customer', 'All others'],
    ['Nov 19', '30 mL', '5.3 mL', '25 mL'],
    ['Nov 18', '–', '–', '–'],
  ],
])('the table of %s has the days, newest first, and what is unknown', async (title, head, second, third) => {
  await open(() => ok(history));
  const shown = await block(title);
  await userEvent.click(shown.getByRole('button', { name: 'Show as table' }));
  const rows = rowsOf(shown.getByRole('table'));
  expect([rows[0], rows[2], rows[3]]).toEqual([head, second, third]);
  await userEvent.click(shown.getByRole('button', { name: 'Show as chart' }));
  expect(shown.queryByRole('table')).not.toBeInTheDocument();
});

test('the table of refills has the weeks', async () => {
  await open(() => ok(history));
  const shown = await block('Refills a week');
  await userEvent.click(shown.getByRole('button', { name: 'Show as table' }));
  expect(rowsOf(shown.getByRole('table'))).toEqual([
    ['Week from', 'Refills'],
    ['Nov 16', '2'],
  ]);
});

test('a filtered fleet has its use in one chart', async () => {
  const { api } = await open(
    () => ok({ ...history, fragrances: null, customers: null }),
    '/fleet?customer=Hotel&days=7',
  );
  expect(await screen.findByRole('region', { name: 'Use in mL a day' })).toBeVisible();
  expect(screen.queryByRole('region', { name: /by fragrance/ })).not.toBeInTheDocument();
  expect(asked(api)).toEqual(['?days=7&customer=Hotel']);
});

test('period and filters stay in the URL', async () => {
  const { api, router } = await open(() => ok(history));
  await screen.findAllByRole('img');
  await userEvent.click(screen.getByRole('radio', { name: '90 days' }));
  await waitFor(() => expect(router.state.location.href).toBe('/fleet?days=90'));
  await userEvent.click(screen.getByRole('button', { name: 'Filter' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Filter the fleet' }));
  const customer = await dialog.findByRole('combobox', { name: 'Customer' });
  await userEvent.click(customer);
  expect(await screen.findByRole('option', { name: 'Aurora Spa', hidden: true })).toBeInTheDocument();
  await userEvent.type(customer, 'hotel');
  await waitFor(() => expect(screen.queryByRole('option', { name: 'Aurora Spa', hidden: true })).toBeNull());
  await userEvent.click(screen.getByRole('option', { name: 'Hotel Aurora', hidden: true }));
  expect(customer).toHaveValue('Hotel Aurora');
  await userEvent.click(dialog.getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(router.state.location.href).toBe('/fleet?days=90&customer=Hotel+Aurora'));
  await waitFor(() => expect(asked(api).at(-1)).toBe('?days=90&customer=Hotel+Aurora'));
});

test('people of one CSP have no filter by CSP', async () => {
  await open(() => ok(history), '/fleet', { can: ['devices.view'] });
  await userEvent.click(screen.getByRole('button', { name: 'Filter' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Filter the fleet' }));
  expect(await dialog.findByRole('combobox', { name: 'Customer' })).toBeVisible();
  expect(dialog.queryByLabelText('CSP')).not.toBeInTheDocument();
});

test('while histories are still to be read, the page says how many of how many, and until when', async () => {
  const readBy = new Date(Date.now() + 26 * 3_600_000);
  const histories = { devices: 5000, read: 1572, readBy: readBy.toISOString() };
  await open(() => ok({ ...history, days: [day('2026-11-20', nothing)], sums: null, sumsBefore: null, histories }));
  const notice = await screen.findByText(/^The history of 1,572 of 5,000 devices has been read/);
  expect(notice).toHaveTextContent(`of all probably by ${dateTime(readBy)}.`);
});

test('the sums of the period are compared with those before it', async () => {
  await open(() => ok(history));
  const sums = await block('Sums');
  expect(await sums.findByText('Nov 18 to Nov 19')).toBeVisible();
  const said = sums.getAllByRole('term').map(({ parentElement }) => parentElement?.textContent);
  expect(said).toEqual([
    'Use1,230 mL23% more than 1,000 mL from Nov 16 to Nov 17',
    'Refills3the same as 3 from Nov 16 to Nov 17',
    'Devices at the end538% less than 8 from Nov 16 to Nov 17',
    'Empty at the end0the same as 0 from Nov 16 to Nov 17',
  ]);
});

test('a fragrance keeps its color when its rank changes', async () => {
  const groups = (...names: string[]) => ({
    groups: names.map((name) => ({ name, usedMl: [1, 1, null] })),
    othersMl: [0, 0, null],
  });
  const colors = async (...names: string[]) => {
    await open(() => ok({ ...history, fragrances: groups(...names) }));
    const [chart] = await screen.findAllByRole('img', { name: /by fragrance/ });
    const shown = chart?.dataset.colors ?? '';
    cleanup();
    return shown.split(',').slice(0, names.length);
  };
  const [fig, tea, mint] = await colors('Fig', 'White Tea', 'Mint');
  expect(new Set([fig, tea, mint]).size).toBe(3);
  expect(await colors('Mint', 'Fig', 'White Tea')).toEqual([mint, fig, tea]);
});

test('a month is chosen instead of a number of days, and its report has the use of the stores', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T12:00:00Z') });
  const { api, router } = await open(() => ok(history), '/fleet?days=90&customer=Hotel');
  await userEvent.click(await screen.findByRole('combobox', { name: 'Month' }));
  await userEvent.click(await screen.findByRole('option', { name: 'October 2026', hidden: true }));
  await waitFor(() => expect(router.state.location.href).toBe('/fleet?month=2026-10&customer=Hotel'));
  await waitFor(() => expect(asked(api).at(-1)).toBe('?month=2026-10&customer=Hotel'));
  await userEvent.click(screen.getByRole('button', { name: 'Report' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Report' }));
  await userEvent.click(await dialog.findByRole('radio', { name: /^Use by store/ }));
  expect(dialog.getByRole('combobox', { name: 'Month' })).toHaveValue('October 2026');
  await userEvent.click(dialog.getByRole('radio', { name: /^CSV/ }));
  expect(dialog.getByText('Plain text for spreadsheets and programs: use-hotel-2026-10.csv')).toBeVisible();
  await userEvent.click(dialog.getByRole('button', { name: 'Generate' }));
  await waitFor(() => expect(api.calls.at(-1)?.url.pathname).toBe('/api/fleet/stores'));
  expect(api.calls.at(-1)?.url.search).toBe('?customer=Hotel&type=csv&month=2026-10');
});

test.each([
  ['/fleet', /first values appear within an hour/],
  ['/fleet?customer=Nobody', /No data for these devices/],
])('without any value %s explains why', async (address, text) => {
  const none = { groups: [], othersMl: [null] };
  await open(() => ok({ ...history, days: [day('2026-11-20', nothing)], fragrances: none, customers: none }), address);
  expect(await screen.findByText(text)).toBeVisible();
  expect(screen.queryByRole('img', { name: /^Chart/ })).not.toBeInTheDocument();
});

test('a failure shows its reason and can be retried', async () => {
  let fails = true;
  await open(() => (fails ? problem(503, 'unavailable', { detail: 'Out of order' }) : ok(history)));
  expect(await screen.findByText('Out of order')).toBeVisible();
  fails = false;
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findAllByRole('img', { name: /^Chart/ })).toHaveLength(5);
});

test('charts whose code cannot be loaded are shown as tables', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  vi.spyOn(console, 'warn').mockReturnValue();
  painter.fails = true;
  await open(() => ok(history));
  expect(await screen.findAllByRole('table')).toHaveLength(5);
});

test('people who may not see devices cannot open the page', async () => {
  fakeApi({ 'GET /api/session': () => ok({ ...session, can: [] }) });
  const { router } = renderApp('/fleet');
  await waitFor(() => expect(router.state.location.pathname).toBe('/fleet'));
});
