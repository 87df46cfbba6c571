import { device, deviceList, fakeApi, ok, session } from '@test/fake-api';
import { openDevices } from '@test/open-devices';
import { renderApp } from '@test/render-app';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const rows = () => ok(deviceList([device({ distanceKm: 1.24 })]));

function locateAs(answer: (found: PositionCallback, failed: PositionErrorCallback) => void) {
  Object.defineProperty(navigator, 'geolocation', { value: { getCurrentPosition: answer }, configurable: true });
}

beforeEach(() => {
  const { matchMedia } = window;
  vi.spyOn(window, 'matchMedia').mockImplementation((query) => ({ ...matchMedia(query), matches: true }));
});

afterEach(() => {
  vi.restoreAllMocks();
  Reflect.deleteProperty(navigator, 'geolocation');
});

const chip = (name: string | RegExp) => screen.findByRole('button', { name });

test('a tap sets a filter, which shows its number of devices, and another tap removes it', async () => {
  const { router } = openDevices('/devices?city=Oslo', rows);
  await userEvent.click(await chip('Low 1'));
  await waitFor(() => expect(router.state.location.href).toBe('/devices?city=Oslo&maxremaining=20'));
  expect(await chip('Low 1')).toHaveAttribute('aria-pressed', 'true');
  await userEvent.click(await chip('Offline 3'));
  await userEvent.click(await chip('Never connected 2'));
  await waitFor(() =>
    expect(router.state.location.href).toBe('/devices?city=Oslo&connectionstatus=NeverConnected&maxremaining=20'),
  );
  expect(await chip('Offline 3')).toHaveAttribute('aria-pressed', 'false');
  await userEvent.click(await chip('Never connected 2'));
  await userEvent.click(await chip('Low 1'));
  await waitFor(() => expect(router.state.location.href).toBe('/devices?city=Oslo'));
});

test('the figures of the list filter it, replace another date, and show first what runs dry first', async () => {
  const order = 'order=asc&order_by=runsdry';
  const { router } = openDevices('/devices?runsdrybefore=2026-12-24', rows);
  await userEvent.click(await chip('Runs dry in 7 days 2'));
  await waitFor(() => expect(router.state.location.href).toBe(`/devices?${order}&runsdrydays=7`));
  expect(await chip('Runs dry in 7 days 2')).toHaveAttribute('aria-pressed', 'true');
  await userEvent.click(await chip('Online 4'));
  await waitFor(() =>
    expect(router.state.location.href).toBe(`/devices?${order}&connectionstatus=Online&runsdrydays=7`),
  );
  await userEvent.click(await chip('Runs dry in 7 days 2'));
  await userEvent.click(await chip('Online 4'));
  await waitFor(() => expect(router.state.location.href).toBe('/devices'));
});

test('the new items of what needs attention are counted, and opened with a tap', async () => {
  fakeApi({
    'GET /api/session': () => ok({ ...session, can: [...session.can, 'attention.view'] }),
    'GET /api/devices': rows,
    'GET /api/attention/count': () => ok({ new: 12, high: 3, assigned: 0, snoozed: 0 }),
    'GET /api/attention': () => ok({ items: [], next: null }),
  });
  const { router } = renderApp('/devices');
  await userEvent.click(await screen.findByRole('link', { name: 'Needs attention 12' }));
  await waitFor(() => expect(router.state.location.href).toBe('/attention?state=new'));
});

test('without the permission to see them, there is no figure of what needs attention', async () => {
  openDevices('/devices', rows);
  await chip('Online 4');
  expect(screen.queryByRole('link', { name: /Needs attention/ })).not.toBeInTheDocument();
});

test('nearby devices come first and show their distance', async () => {
  locateAs((found) => found({ coords: { latitude: 59.9139, longitude: -10.75226 } } as GeolocationPosition));
  const { router, api } = openDevices('/devices', rows);
  await userEvent.click(await chip('Near me'));
  await waitFor(() =>
    expect(router.state.location.search).toMatchObject({ near: '59.914,-10.752', order_by: 'distance', order: 'asc' }),
  );
  expect(await screen.findByText('1.2 km away')).toBeVisible();
  const request = api.calls.filter(({ url }) => url.pathname === '/api/devices').at(-1);
  expect(Object.fromEntries(request?.url.searchParams ?? [])).toMatchObject({
    near: '59.914,-10.752',
    radius: '50',
    orderBy: 'distance',
    order: 'asc',
  });
  await userEvent.click(await chip('Near me'));
  await waitFor(() => expect(router.state.location.href).toBe('/devices'));
});

test.each([
  [
    1,
    'User denied the request for Geolocation. Allow this site to use your location: in the browser beside the address, and in the settings of your phone. Then try again.',
  ],
  [2, 'Location information is unavailable.'],
  [3, 'The request to get user location timed out.'],
])('a refused position (%d) shows a notice, and the list stays', async (code, reason) => {
  locateAs((_, failed) => failed({ code } as GeolocationPositionError));
  const { router } = openDevices('/devices', rows);
  await userEvent.click(await chip('Near me'));
  expect(await screen.findByRole('alert')).toHaveTextContent(`Near me needs your position. ${reason}`);
  expect(router.state.location.href).toBe('/devices');
  expect(await chip('Near me')).toHaveAttribute('aria-pressed', 'false');
});

const names = async () => {
  await chip('Online 4');
  return within(screen.getByRole('group', { name: 'Quick filters' }))
    .getAllByRole('button')
    .map(({ textContent }) => textContent);
};

test('a phone in landscape has the chips of one in portrait, with Near me first', async () => {
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (query) => ({ matches: query.includes('max-height'), addEventListener() {}, removeEventListener() {} }) as never,
  );
  openDevices('/devices', rows);
  expect(await names()).toEqual([
    'Near me ',
    'Online 4',
    'Offline 3',
    'Never connected 2',
    'Runs dry in 7 days 2',
    'Low 1',
  ]);
});

test('the figures of a desktop are those of all devices', async () => {
  vi.restoreAllMocks();
  openDevices('/devices', rows);
  expect(await names()).toEqual(['Online 4', 'Offline 3', 'Never connected 2', 'Runs dry in 7 days 2']);
});
