import { type Call, device, deviceList, ok, problem, session } from '@test/fake-api';
import { FakeEventSource } from '@test/fake-event-source';
import { openDevices as open } from '@test/open-devices';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { forgetServerTime } from '@/browser/server-clock';

const queryOf = (call: Call | undefined) => Object.fromEntries(call?.url.searchParams ?? []);

test('the request follows the URL, and the footer shows the range', async () => {
  const { api } = open('/devices?page=2&order_by=customer&order=asc&connectionstatus=Online', () =>
    ok(deviceList([device()], { total: 6, currentPageNumber: 2 })),
  );
  expect(await screen.findByText('Devices 6 - 6 of 6')).toBeVisible();
  expect(queryOf(api.calls.find((call) => call.url.pathname === '/api/devices'))).toEqual({
    page: '2',
    pageSize: '5',
    order: 'asc',
    orderBy: 'customer',
    connectionstatus: 'Online',
  });
  expect(screen.getByRole('cell', { name: /AQ200 Series 500 mL/ })).toBeVisible();
  expect(screen.getByRole('columnheader', { name: /Customer/ })).toHaveAttribute('aria-sort', 'ascending');
});

test('sorting starts again on the first page and leaves defaults out of the URL', async () => {
  const { router } = open('/devices?page=3', () => ok(deviceList([device()])));
  await userEvent.click(await screen.findByRole('button', { name: 'DSN' }));
  expect(router.state.location.href).toBe('/devices?order=asc&order_by=dsn');
});

test('the CSP column is shown only with the permission', async () => {
  open('/devices', () => ok(deviceList([device()])), { ...session, can: ['devices.view'] });
  await screen.findByText('PL-20310');
  expect(screen.queryByRole('columnheader', { name: 'CSP' })).not.toBeInTheDocument();
});

test('users who see no devices open no stream and see no live badge', async () => {
  open('/devices', () => ok(deviceList([])), { ...session, can: [] });
  expect(await screen.findByText('No results')).toBeVisible();
  expect(FakeEventSource.all).toEqual([]);
  expect(screen.queryByRole('status')).not.toBeInTheDocument();
});

test('a filter without a match offers to clear it', async () => {
  const { router } = open('/devices?dsn=zzz', ({ url }) =>
    ok(deviceList(url.searchParams.has('dsn') ? [] : [device()])),
  );
  expect(await screen.findByText('No results')).toBeVisible();
  expect(screen.getByText('Devices 0 - 0 of 0')).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Clear filters' }));
  expect(await screen.findByText('PL-20310')).toBeVisible();
  expect(router.state.location.href).toBe('/devices');
});

test('typing into the search filters the list', async () => {
  const { router } = open('/devices?page=2', () => ok(deviceList([device()])));
  await userEvent.type(await screen.findByLabelText('Search devices'), 'AC1');
  await screen.findByRole('button', { name: 'Clear filters' });
  expect(router.state.location.href).toBe('/devices?q=AC1');
});

test('a failed list shows an error and can be retried', async () => {
  let fail = true;
  open('/devices', () => (fail ? problem(500, 'internal', { detail: 'Out of order' }) : ok(deviceList([device()]))));
  expect(await screen.findByText('Failed to load devices')).toBeVisible();
  fail = false;
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByText('PL-20310')).toBeVisible();
});

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

test.each([
  ['states older than two minutes', 3, 3, true],
  ['recent states and a comparison with the cloud some minutes ago', 30, 1, false],
  ['a comparison with the cloud more than an hour ago', 61, 1, true],
])('a list with %s shows its time: %s, %s, %s', async (_, asOf, statesAsOf, isShown) => {
  const times = { asOf: minutesAgo(asOf), statesAsOf: minutesAgo(statesAsOf) };
  open('/devices', () => ok(deviceList([device()], times)));
  expect(await screen.findByText('PL-20310')).toBeVisible();
  expect(screen.queryAllByText(/^Data as of /)).toHaveLength(isShown ? 1 : 0);
});

test('a device whose clock is fast shows no time of a recent list', async () => {
  const serverMs = Date.now() - 300_000;
  const time = new Date(serverMs).toISOString();
  open('/devices', () => {
    const answer = ok(deviceList([device()], { asOf: time, statesAsOf: time }));
    answer.headers.set('date', new Date(serverMs).toUTCString());
    return answer;
  });
  expect(await screen.findByText('PL-20310')).toBeVisible();
  expect(screen.queryByText(/^Data as of /)).not.toBeInTheDocument();
  forgetServerTime();
});

test('a list from the device cloud shows a notice', async () => {
  open('/devices', () => ok(deviceList([device()], { source: 'cloud' })));
  expect(await screen.findByText(/^This list currently comes directly from the device cloud/)).toBeVisible();
  expect(screen.getByText('PL-20310')).toBeVisible();
});

test('unavailable filters can be reset at once', async () => {
  const detail = 'The list cannot be sorted or filtered by this at the moment.';
  const { router, api } = open('/devices?page=2&order_by=city&city=Oslo&connectionstatus=Online', ({ url }) =>
    url.searchParams.has('city')
      ? problem(503, 'list_limited', { detail, errors: { city: ['is not possible'], orderBy: ['is not possible'] } })
      : ok(deviceList([device()], { source: 'cloud' })),
  );
  expect(await screen.findByText(detail)).toBeVisible();
  expect(screen.queryByText('Failed to load devices')).not.toBeInTheDocument();
  expect(api.count('GET /api/devices')).toBe(1);
  await userEvent.click(screen.getByRole('button', { name: 'Clear filters and sorting' }));
  expect(await screen.findByText('PL-20310')).toBeVisible();
  expect(router.state.location.href).toBe('/devices');
});

test('a live event changes the row that is shown', async () => {
  open('/devices', () => ok(deviceList([device()])));
  await screen.findByText('PL-20310');
  expect(FakeEventSource.latest.url).toBe('/api/events?dsn=AC000W510000001');
  const changed = device({ connectionStatus: 'Offline', fragranceRemaining: 13 });
  FakeEventSource.latest.send('device', { dsn: changed.dsn, kind: 'connection', device: changed });
  expect(await screen.findByRole('cell', { name: /^Offline/ })).toBeVisible();
  expect(screen.getByRole('img', { name: /^13% fragrance remaining, ./ })).toBeInTheDocument();
});

test('Back leads from the device to the list as it was', async () => {
  const { router } = open('/devices?page=2&page_size=25', () => ok(deviceList([device()])));
  await userEvent.click(await screen.findByRole('link', { name: 'PL-20310' }));
  await userEvent.click(await screen.findByRole('link', { name: 'Back' }));
  await screen.findByText(/^Devices \d+ - \d+ of/);
  expect(router.state.location.href).toBe('/devices?page=2&page_size=25');
});
