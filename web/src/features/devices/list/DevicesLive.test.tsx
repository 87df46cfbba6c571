import { device, deviceList, ok } from '@test/fake-api';
import { FakeEventSource } from '@test/fake-event-source';
import { openDevices } from '@test/open-devices';
import { showTab } from '@test/visibility';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { DeviceView } from '@/api/schema.gen';

const ONE = device({ dsn: 'AC000W510000001', serialNumber: 'S-1' });
const TWO = device({ dsn: 'AC2', serialNumber: 'S-2' });
const THREE = device({ dsn: 'AC3', serialNumber: 'S-3' });

/** A live list of these devices. */
async function openWith(devices: DeviceView[]) {
  const server: { devices: DeviceView[]; answer?: Promise<Response> } = { devices };
  const { api } = openDevices('/devices', () => server.answer ?? ok(deviceList(server.devices)));
  await screen.findByText('S-1');
  FakeEventSource.latest.send('ready');
  await waitFor(() => expect(api.count('GET /api/devices')).toBe(2));
  return { server, api };
}

test('a device that is added or removed changes rows and total but not the focus', async () => {
  const { server } = await openWith([ONE, TWO]);
  await userEvent.keyboard('jj');
  expect(screen.getByRole('link', { name: 'S-2' })).toHaveFocus();
  server.devices = [THREE, TWO];
  FakeEventSource.latest.send('list');
  expect(await screen.findByText('S-3')).toBeVisible();
  expect(screen.queryByText('S-1')).not.toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'S-2' })).toHaveFocus();
  server.devices = [TWO];
  FakeEventSource.latest.send('list');
  expect(await screen.findByText('Devices 1 - 1 of 1')).toBeVisible();
});

test('when the focused row is removed, the keys continue from its position', async () => {
  const { server } = await openWith([ONE, TWO, THREE]);
  await userEvent.keyboard('jj');
  server.devices = [ONE, THREE];
  FakeEventSource.latest.send('list');
  await waitFor(() => expect(screen.queryByText('S-2')).not.toBeInTheDocument());
  await userEvent.keyboard('j');
  expect(screen.getByRole('link', { name: 'S-3' })).toHaveFocus();
  server.devices = [ONE];
  FakeEventSource.latest.send('list');
  await waitFor(() => expect(screen.queryByText('S-3')).not.toBeInTheDocument());
  await userEvent.keyboard('k');
  expect(screen.getByRole('link', { name: 'S-1' })).toHaveFocus();
});

test('rows are kept while the list is read again', async () => {
  const { server, api } = await openWith([ONE]);
  server.answer = new Promise(() => undefined);
  FakeEventSource.latest.send('list');
  await waitFor(() => expect(api.count('GET /api/devices')).toBe(3));
  expect(screen.getByRole('table')).toHaveAttribute('aria-busy', 'false');
  expect(screen.getByRole('link', { name: 'S-1' })).toBeVisible();
});

test('a removed device leaves the list before it is read again', async () => {
  await openWith([ONE, TWO]);
  FakeEventSource.latest.send('removed', { dsn: 'AC2' });
  expect(await screen.findByText('Devices 1 - 1 of 1')).toBeVisible();
  expect(screen.queryByText('S-2')).not.toBeInTheDocument();
});

test('a hidden tab reads again when it becomes visible', async () => {
  const { server, api } = await openWith([ONE]);
  showTab(false);
  server.devices = [ONE, TWO];
  FakeEventSource.latest.send('list');
  FakeEventSource.latest.send('list');
  expect(api.count('GET /api/devices')).toBe(2);
  showTab(true);
  expect(await screen.findByText('S-2')).toBeVisible();
  expect(api.count('GET /api/devices')).toBe(3);
});
