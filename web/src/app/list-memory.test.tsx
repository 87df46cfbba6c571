import { device, deviceList, ok } from '@test/fake-api';
import { openDevices } from '@test/open-devices';
import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

const rows = () => ok(deviceList([device()]));
const FILTERED = '/devices?page=2&page_size=25&city=Oslo&connectionstatus=Online';

async function openAndLeave(address: string) {
  const app = openDevices(address, rows);
  await userEvent.click(await screen.findByRole('link', { name: 'PL-20310' }));
  await screen.findByRole('link', { name: 'Back' });
  return app;
}

const openList = async () => userEvent.click(screen.getByRole('link', { name: 'Devices' }));

test('a list opened again without a query has its last filters, and only these', async () => {
  const { router } = await openAndLeave(FILTERED);
  const entries = router.history.length;
  await openList();
  await waitFor(() => expect(router.state.location.href).toBe('/devices?city=Oslo&connectionstatus=Online'));
  expect(await screen.findByRole('button', { name: 'Remove filter City Oslo' })).toBeVisible();
  expect(router.history.length).toBe(entries + 1);
});

test('a query in the URL overrides remembered filters', async () => {
  const { router } = await openAndLeave(FILTERED);
  await act(() => router.navigate({ to: '/devices', search: { csp: 'AirCo' } }));
  expect(router.state.location.href).toBe('/devices?csp=AirCo');
  await userEvent.click(await screen.findByRole('link', { name: 'PL-20310' }));
  await screen.findByRole('link', { name: 'Back' });
  await openList();
  await waitFor(() => expect(router.state.location.href).toBe('/devices?csp=AirCo'));
});

test('cleared filters are not restored', async () => {
  const { router } = openDevices('/devices?city=Oslo', rows);
  await userEvent.click(await screen.findByRole('button', { name: 'Clear filters' }));
  await waitFor(() => expect(router.state.location.href).toBe('/devices'));
  expect(sessionStorage).toHaveLength(0);
  await userEvent.click(await screen.findByRole('link', { name: 'PL-20310' }));
  await screen.findByRole('link', { name: 'Back' });
  await openList();
  await screen.findByText(/^Devices \d+ - /);
  expect(router.state.location.href).toBe('/devices');
});

test('going back to before a filter undoes it', async () => {
  const { router } = openDevices('/devices', rows);
  await screen.findByText('PL-20310');
  await act(() => router.navigate({ to: '/devices', search: { city: 'Oslo' } }));
  await screen.findByRole('button', { name: 'Remove filter City Oslo' });
  act(() => router.history.back());
  await waitFor(() => expect(router.state.location.href).toBe('/devices'));
});

test('invalid stored filters are ignored', async () => {
  sessionStorage.setItem('filters:/devices', '{"connectionstatus":"Maybe","evil":"1"}');
  const { router } = openDevices('/devices', rows);
  await screen.findByText('PL-20310');
  expect(router.state.location.href).toBe('/devices');
});

test('each path has its own filters', async () => {
  await openAndLeave(FILTERED);
  expect(Object.keys(sessionStorage).filter((key) => key.startsWith('filters:'))).toEqual(['filters:/devices']);
});

test('signing out deletes the remembered filters', async () => {
  const { router } = await openAndLeave(FILTERED);
  await act(() => router.navigate({ to: '/signout' }));
  await waitFor(() => expect(Object.keys(sessionStorage).filter((key) => key.startsWith('filters:'))).toEqual([]));
});
