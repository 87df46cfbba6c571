import { device, deviceDetail, fakeApi, ok, session } from '@test/fake-api';
import { FakeEventSource } from '@test/fake-event-source';
import { renderApp } from '@test/render-app';
import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { DeviceDetail } from '@/api/schema.gen';

const WAITING = 'Power it on; waiting for first contact';
const { dsn } = device();

function open(before: Partial<DeviceDetail>) {
  const shown = { detail: deviceDetail(before) };
  fakeApi({ 'GET /api/session': () => ok(session), [`GET /api/devices/dsns/${dsn}`]: () => ok(shown.detail) });
  renderApp(`/devices/${dsn}`);
  return (part: Partial<DeviceDetail>) => {
    shown.detail = deviceDetail(part);
    FakeEventSource.latest.send('device', { dsn, kind: 'connection', device: device(part) });
  };
}

test('a device that never connected asks for power, and its first connection is announced', async () => {
  const report = open({ connectionStatus: 'Offline', neverConnected: true, lastSeenAt: null });
  expect(await screen.findByText(WAITING)).toBeVisible();
  report({ connectionStatus: 'Online', neverConnected: false });
  expect(await screen.findByText('PL-20310 is online.')).toBeVisible();
  expect(screen.queryByText(WAITING)).not.toBeInTheDocument();
  report({ connectionStatus: 'Offline', neverConnected: false });
  await waitFor(() => expect(screen.queryByText('PL-20310 is online.')).not.toBeInTheDocument());
  expect(screen.queryByText(WAITING)).not.toBeInTheDocument();
});

test('a device that has connected before shows no notice', async () => {
  const report = open({ connectionStatus: 'Offline', neverConnected: false });
  await screen.findByRole('heading', { name: 'PL-20310' });
  expect(screen.queryByText(WAITING)).not.toBeInTheDocument();
  report({ connectionStatus: 'Online', neverConnected: false });
  await waitFor(() => expect(screen.getAllByText('Online')).not.toHaveLength(0));
  expect(screen.queryByText('PL-20310 is online.')).not.toBeInTheDocument();
});
