import { device, deviceList, fakeApi, ok, problem, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

const SAVE = 'PUT /api/account/list-preferences';

function open(address: string, preferences: Partial<typeof session.listPreferences> = {}, save = () => ok({})) {
  const listPreferences = { ...session.listPreferences, ...preferences };
  const api = fakeApi({
    'GET /api/session': () => ok({ ...session, listPreferences }),
    'GET /api/devices': () => ok(deviceList([device()], { total: 60 })),
    'GET /api/devices/counts': () => ok({ all: 60, online: 60, offline: 0, neverConnected: 0, low: 0 }),
    [SAVE]: save,
  });
  const requestedQuery = () => api.calls.filter(({ url }) => url.pathname === '/api/devices').at(-1)?.url.searchParams;
  const saved = () => api.calls.filter(({ method }) => method === 'PUT').map(({ body }) => body);
  return { api, requestedQuery, saved, ...renderApp(address) };
}

async function chooseSize(size: string) {
  await userEvent.click(await screen.findByRole('combobox', { name: 'Rows per page' }));
  await userEvent.click(await screen.findByRole('option', { name: size, hidden: true }));
}

test("a URL without a page size uses the user's preferred one", async () => {
  const { api, requestedQuery, router } = open('/devices', { pageSizes: { devices: 25, users: 50 } });
  await screen.findByText('Devices 1 - 1 of 60');
  expect(requestedQuery()?.get('pageSize')).toBe('25');
  expect(api.count('GET /api/devices')).toBe(1);
  expect(router.state.location.href).toBe('/devices');
});

test('a page size in the URL overrides the preferred one, even if it is the default', async () => {
  const { requestedQuery, router } = open('/devices?page_size=5', { pageSizes: { devices: 25 } });
  await screen.findByText('Devices 1 - 1 of 60');
  expect(requestedQuery()?.get('pageSize')).toBe('5');
  expect(router.state.location.href).toBe('/devices?page_size=5');
});

test('a chosen page size is written to the URL and saved only for this list', async () => {
  const { requestedQuery, saved, router } = open('/devices?page=2');
  await chooseSize('25');
  await waitFor(() => expect(router.state.location.href).toBe('/devices?page_size=25'));
  await waitFor(() => expect(requestedQuery()?.get('pageSize')).toBe('25'));
  expect(saved()).toEqual([{ pageSizes: { devices: 25 } }]);
});

test('choosing the default page size removes it from the URL', async () => {
  const { requestedQuery, saved, router } = open('/devices?page_size=50', { pageSizes: { devices: 25 } });
  await chooseSize('5');
  await waitFor(() => expect(router.state.location.href).toBe('/devices'));
  await waitFor(() => expect(requestedQuery()?.get('pageSize')).toBe('5'));
  expect(saved()).toEqual([{ pageSizes: { devices: 5 } }]);
});

test('rows are comfortable until the user chooses compact, which is saved', async () => {
  const { saved } = open('/devices');
  const compact = await screen.findByRole('button', { name: 'Compact rows' });
  expect(screen.getByRole('table')).toHaveAttribute('data-density', 'comfortable');
  await userEvent.click(compact);
  expect(screen.getByRole('table')).toHaveAttribute('data-density', 'compact');
  expect(compact).toHaveAttribute('aria-pressed', 'true');
  await userEvent.click(compact);
  expect(screen.getByRole('table')).toHaveAttribute('data-density', 'comfortable');
  await waitFor(() => expect(saved()).toEqual([{ density: 'compact' }, { density: 'comfortable' }]));
});

test('a choice that cannot be saved still applies to the open list', async () => {
  open('/devices', {}, () => problem(503, 'not_ready'));
  await userEvent.click(await screen.findByRole('button', { name: 'Compact rows' }));
  expect(screen.getByRole('table')).toHaveAttribute('data-density', 'compact');
  await chooseSize('50');
  expect(await screen.findByRole('combobox', { name: 'Rows per page' })).toHaveValue('50');
});

test("a row shows the time of connection, the age of an offline device's level, or that the device never connected", async () => {
  const now = Date.now();
  const old = new Date(now - 3 * 86_400_000 - 60_000).toISOString();
  const rows = [
    device({ dsn: 'A1', serialNumber: 'S-1', connectionChangedAt: '2020-11-03T12:00:00Z' }),
    device({
      dsn: 'A2',
      serialNumber: 'S-2',
      connectionStatus: 'Offline',
      connectionChangedAt: old,
      fragranceRemaining: 12,
      supply: 'no_contact',
      forecastObstacle: 'passed_offline',
    }),
    device({
      dsn: 'A3',
      serialNumber: 'S-3',
      connectionStatus: 'Offline',
      neverConnected: true,
      connectedAt: null,
      connectionChangedAt: null,
      fragranceRemaining: null,
    }),
  ];
  fakeApi({
    'GET /api/session': () => ok(session),
    'GET /api/devices': () => ok(deviceList(rows)),
    'GET /api/devices/counts': () => problem(503, 'not_ready'),
  });
  renderApp('/devices');
  await screen.findByText('S-1');
  expect(screen.getByRole('cell', { name: 'Online since Nov 3, 2020' })).toBeVisible();
  expect(
    screen.getByRole('cell', { name: '12% fragrance remaining, 3 days ago no contact for 3 days, 12% then' }),
  ).toBeVisible();
  expect(screen.getByRole('cell', { name: 'Never connected' })).toBeVisible();
  expect(screen.getByRole('combobox', { name: 'Status' })).toBeVisible();
});
