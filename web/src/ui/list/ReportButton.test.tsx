import { device, deviceList, fakeApi, ok, problem, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ownZoneName } from '@/domain/time-zone';

const saved: string[] = [];

beforeEach(() => {
  saved.length = 0;
  vi.useFakeTimers({ now: new Date(2026, 10, 22, 12), toFake: ['Date'] });
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1');
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download);
  });
});

afterEach(() => {
  vi.useRealTimers();
});

function open(report: Parameters<typeof fakeApi>[0][string], who = session) {
  const api = fakeApi({
    'GET /api/session': () => ok(who),
    'GET /api/devices': () => ok(deviceList([device()])),
    'GET /api/devices/report': report,
  });
  renderApp('/devices?page=2&page_size=25&order=asc&order_by=customer&city=Oslo');
  return api;
}

async function openDialog() {
  await userEvent.click(await screen.findByRole('button', { name: 'Report' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Report' }));
  await dialog.findByRole('button', { name: 'Generate' });
  return dialog;
}

test('a report has the filters and order of the list, and its file the extension of its type', async () => {
  const api = open(() => new Response('file'));
  for (const [label, type, name] of [
    ['Printable', 'printable', 'report.html'],
    ['Excel', 'xlsx', 'devices-oslo-2026-11-22.xlsx'],
    ['CSV', 'csv', 'devices-oslo-2026-11-22.csv'],
  ] as const) {
    const dialog = await openDialog();
    await userEvent.click(dialog.getByRole('radio', { name: new RegExp(`^${label}`) }));
    await userEvent.click(dialog.getByRole('button', { name: 'Generate' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(saved.at(-1)).toBe(name);
    const request = api.calls.findLast(({ url }) => url.pathname === '/api/devices/report');
    expect(Object.fromEntries(request?.url.searchParams ?? [])).toEqual({
      order: 'asc',
      orderBy: 'customer',
      city: 'Oslo',
      type,
      ...(type === 'xlsx' && { timeZone: ownZoneName() }),
    });
  }
});

test('the cartridges to buy until a day are reported with the filters of the list', async () => {
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    'GET /api/devices': () => ok(deviceList([device()])),
    'GET /api/devices/purchasing': () => new Response('file'),
  });
  renderApp('/devices?page=2&page_size=25&order=asc&order_by=customer&city=Oslo');
  const dialog = await openDialog();
  await userEvent.click(dialog.getByRole('radio', { name: 'Cartridges to buy' }));
  await userEvent.click(dialog.getByRole('radio', { name: /^CSV/ }));
  expect(dialog.queryByRole('checkbox', { name: 'Group by customer' })).not.toBeInTheDocument();
  const until = dialog.getByLabelText('Needed until');
  expect(until).toHaveValue('2026-12-22');
  await userEvent.clear(until);
  await userEvent.click(dialog.getByRole('button', { name: 'Generate' }));
  expect(dialog.getByText('Choose a day')).toBeVisible();
  await userEvent.type(until, '2027-01-31');
  await userEvent.click(dialog.getByRole('button', { name: 'Generate' }));
  await waitFor(() => expect(saved).toEqual(['cartridges-oslo-2026-11-22.csv']));
  const request = api.calls.find(({ url }) => url.pathname === '/api/devices/purchasing');
  expect(Object.fromEntries(request?.url.searchParams ?? [])).toEqual({
    city: 'Oslo',
    type: 'csv',
    until: '2027-01-31',
  });
});

test('a report of devices can be grouped by customer', async () => {
  const api = open(() => new Response('file'));
  const dialog = await openDialog();
  await userEvent.click(dialog.getByRole('checkbox', { name: 'Group by customer' }));
  await userEvent.click(dialog.getByRole('button', { name: 'Generate' }));
  await waitFor(() => expect(saved).toEqual(['report.html']));
  const request = api.calls.findLast(({ url }) => url.pathname === '/api/devices/report');
  expect(request?.url.searchParams.get('groupBy')).toBe('customer');
});

test('a failed or interrupted report shows the reason and can be retried', async () => {
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('cut')) });
  const answers = [problem(500, 'internal'), new Response(broken), new Response('file')];
  open(() => answers.shift() ?? new Response('file'));
  const dialog = await openDialog();
  for (const alerts of [1, 2]) {
    await userEvent.click(dialog.getByRole('button', { name: 'Generate' }));
    await waitFor(() => expect(screen.getAllByText('Failed to generate report')).toHaveLength(alerts));
    expect(saved).toEqual([]);
  }
  await userEvent.click(dialog.getByRole('button', { name: 'Generate' }));
  await waitFor(() => expect(saved).toEqual(['report.html']));
});

test('closing the dialog cancels the report', async () => {
  const written = Promise.withResolvers<Response>();
  const api = open(() => written.promise);
  const dialog = await openDialog();
  await userEvent.click(dialog.getByRole('button', { name: 'Generate' }));
  await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  const request = api.calls.find(({ url }) => url.pathname === '/api/devices/report');
  expect(request?.signal?.aborted).toBe(true);
  written.resolve(new Response('file'));
  await openDialog();
  expect(saved).toEqual([]);
  expect(screen.queryByText('Failed to generate report')).not.toBeInTheDocument();
});

test('users who see no devices have no report', async () => {
  open(() => problem(403, 'forbidden'), { ...session, can: [] });
  await screen.findByRole('heading', { name: 'Devices' });
  expect(screen.queryByRole('button', { name: 'Report' })).not.toBeInTheDocument();
});
