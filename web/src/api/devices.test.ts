import { QueryObserver } from '@tanstack/react-query';
import { device, deviceDetail, deviceList, fakeApi, ok } from '@test/fake-api';
import { expect, test, vi } from 'vitest';
import {
  applyDeviceDetail,
  applyDeviceEvent,
  deviceQuery,
  devicesQuery,
  dropDevice,
  rereadDeviceLists,
} from './devices';
import { createQueryClient } from './query-client';
import type { DeviceList } from './schema.gen';

const FIRST = devicesQuery({ page: 1 }).queryKey;
const SECOND = devicesQuery({ page: 2 }).queryKey;

function filled() {
  const client = createQueryClient();
  client.setQueryData(FIRST, deviceList([device(), device({ dsn: 'OTHER' })]));
  client.setQueryData(SECOND, deviceList([device({ dsn: 'THIRD' })]));
  return client;
}

test('a live event replaces the row in the list that has it, and no other', () => {
  const client = filled();
  const before = client.getQueryData<DeviceList>(SECOND);
  applyDeviceEvent(client, { dsn: 'OTHER', kind: 'reported', device: device({ dsn: 'OTHER', intensity: 7 }) });
  expect(client.getQueryData<DeviceList>(FIRST)?.devices.map((row) => row.intensity)).toEqual([48, 7]);
  expect(client.getQueryData<DeviceList>(SECOND)).toBe(before);
});

test('a list that was being read does not take back what an event told meanwhile', async () => {
  let answer: (response: Response) => void = () => undefined;
  fakeApi({ 'GET /api/devices': () => new Promise((resolve) => (answer = resolve)) });
  const client = createQueryClient();
  const read = client.fetchQuery(devicesQuery({ page: 1 }));
  const offline = device({ connectionStatus: 'Offline' });
  applyDeviceEvent(client, { dsn: offline.dsn, kind: 'connection', device: offline });
  answer(ok(deviceList([device({ connectionStatus: 'Online' }), device({ dsn: 'OTHER' })])));
  expect((await read).devices.map((row) => row.connectionStatus)).toEqual(['Offline', 'Online']);
});

test('a live event makes the device page read again', () => {
  const client = filled();
  const { queryKey } = deviceQuery('OTHER');
  client.setQueryData(queryKey, deviceDetail({ dsn: 'OTHER' }));
  applyDeviceEvent(client, { dsn: 'OTHER', kind: 'acknowledged', device: device({ dsn: 'OTHER' }) });
  expect(client.getQueryState(queryKey)?.isInvalidated).toBe(true);
});

test('the answer to a write is on the device page and in the lists at once', () => {
  const client = filled();
  const written = deviceDetail({ intensity: 12 });
  applyDeviceDetail(client, written);
  expect(client.getQueryData(deviceQuery(written.dsn).queryKey)).toEqual(written);
  expect(client.getQueryData<DeviceList>(FIRST)?.devices[0]?.intensity).toBe(12);
});

test('a device that is gone leaves the list that has it, and its page reads again', () => {
  const client = filled();
  const { queryKey } = deviceQuery('OTHER');
  client.setQueryData(queryKey, deviceDetail({ dsn: 'OTHER' }));
  dropDevice(client, 'OTHER');
  const list = client.getQueryData<DeviceList>(FIRST);
  expect([list?.devices.map(({ dsn }) => dsn), list?.total]).toEqual([['AC000W510000001'], 1]);
  expect(client.getQueryState(queryKey)?.isInvalidated).toBe(true);
});

test('a list that was being read does not bring back what went meanwhile', async () => {
  let answer: (response: Response) => void = () => undefined;
  fakeApi({ 'GET /api/devices': () => new Promise((resolve) => (answer = resolve)) });
  const client = createQueryClient();
  const read = client.fetchQuery(devicesQuery({ page: 1 }));
  dropDevice(client, 'OTHER');
  answer(ok(deviceList([device(), device({ dsn: 'OTHER' })])));
  expect(await read).toMatchObject({ devices: [{ dsn: 'AC000W510000001' }], total: 1 });
});

test('lists are read again one call at a time, and once more when a read was under way', async () => {
  const answers: ((response: Response) => void)[] = [];
  const api = fakeApi({ 'GET /api/devices': () => new Promise((resolve) => answers.push(resolve)) });
  const client = createQueryClient();
  const forget = new QueryObserver(client, devicesQuery({ page: 1 })).subscribe(() => undefined);
  const reread = rereadDeviceLists(client);
  expect(api.calls).toHaveLength(1);
  answers[0]?.(ok(deviceList([device()])));
  await vi.waitFor(() => expect(api.calls).toHaveLength(2));
  answers[1]?.(ok(deviceList([])));
  await reread;
  expect(client.getQueryData<DeviceList>(FIRST)?.devices).toEqual([]);
  const again = rereadDeviceLists(client);
  answers[2]?.(ok(deviceList([device()])));
  await again;
  expect(api.calls).toHaveLength(3);
  forget();
});
