// @vitest-environment jsdom
import { InfiniteQueryObserver, QueryObserver } from '@tanstack/react-query';
import { type Call, device, deviceDetail, deviceList, fakeApi, ok } from '@test/fake-api';
import { expect, test, vi } from 'vitest';
import { deviceFacetsQuery } from './device-facets';
import {
  applyDeviceDetail,
  applyDeviceEvent,
  deviceCountsQuery,
  deviceQuery,
  devicesQuery,
  dropDevice,
  rereadDeviceLists,
} from './devices';
import { createQueryClient } from './query-client';
import type { DeviceDetail, DeviceList } from './schema.gen';

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

test('a list that was being read keeps a row that an event changed meanwhile', async () => {
  let answer: (response: Response) => void = () => undefined;
  fakeApi({ 'GET /api/devices': () => new Promise((resolve) => (answer = resolve)) });
  const client = createQueryClient();
  const read = client.fetchQuery(devicesQuery({ page: 1 }));
  const offline = device({ connectionStatus: 'Offline' });
  applyDeviceEvent(client, { dsn: offline.dsn, kind: 'connection', device: offline });
  answer(ok(deviceList([device({ connectionStatus: 'Online' }), device({ dsn: 'OTHER' })])));
  expect((await read).devices.map((row) => row.connectionStatus)).toEqual(['Offline', 'Online']);
});

test('an event without a detail makes the device page read again', () => {
  const client = filled();
  const { queryKey } = deviceQuery('OTHER');
  client.setQueryData(queryKey, deviceDetail({ dsn: 'OTHER' }));
  applyDeviceEvent(client, { dsn: 'OTHER', kind: 'acknowledged', device: device({ dsn: 'OTHER' }) });
  expect(client.getQueryState(queryKey)?.isInvalidated).toBe(true);
});

const DSN = device().dsn;
const at = (second: number, part: Partial<DeviceDetail> = {}) =>
  deviceDetail({ asOf: `2026-11-20T12:00:0${second}Z`, ...part });
const eventOf = (detail: DeviceDetail) => ({ dsn: DSN, kind: 'acknowledged', device: device(), detail }) as const;

test('an event with a detail is stored and causes no read', () => {
  const client = filled();
  const { queryKey } = deviceQuery(DSN);
  client.setQueryData(queryKey, at(1));
  const acknowledged = at(2, { fan: 5 });
  applyDeviceEvent(client, eventOf(acknowledged));
  expect(client.getQueryData(queryKey)).toEqual(acknowledged);
  expect(client.getQueryState(queryKey)?.isInvalidated).toBe(false);
});

test('a tab that does not show the device does not store its detail', () => {
  const client = filled();
  applyDeviceEvent(client, eventOf(at(2)));
  expect(client.getQueryState(deviceQuery(DSN).queryKey)).toBeUndefined();
});

test('a saved device that the server could not read back is read again, and its old values are not shown', () => {
  const client = filled();
  const { queryKey } = deviceQuery(DSN);
  client.setQueryData(queryKey, at(2, { fan: 3 }));
  applyDeviceDetail(client, at(3, { fan: 1, stale: true }));
  expect(client.getQueryData<DeviceDetail>(queryKey)?.fan).toBe(3);
  expect(client.getQueryState(queryKey)?.isInvalidated).toBe(true);
});

test('an older event or response does not replace a newer device', () => {
  const client = filled();
  const { queryKey } = deviceQuery(DSN);
  client.setQueryData(queryKey, at(1));
  const acknowledged = at(3, { fan: 5 });
  applyDeviceEvent(client, eventOf(acknowledged));
  applyDeviceEvent(client, eventOf(at(2)));
  applyDeviceDetail(client, at(2));
  expect(client.getQueryData(queryKey)).toEqual(acknowledged);
});

test('a response that is older than an event does not replace its detail', async () => {
  let answer: (response: Response) => void = () => undefined;
  fakeApi({ [`GET /api/devices/dsns/${DSN}`]: () => new Promise((resolve) => (answer = resolve)) });
  const client = createQueryClient();
  // A route's loader reads without an observer: the page is not there yet.
  const read = client.prefetchQuery(deviceQuery(DSN));
  const acknowledged = at(2, { fan: 5 });
  applyDeviceEvent(client, eventOf(acknowledged));
  answer(ok(at(1, { fan: 2 })));
  await read;
  expect(client.getQueryData(deviceQuery(DSN).queryKey)).toEqual(acknowledged);
});

test('a device that changes while a page without observers reads it is read again', async () => {
  const answers: ((response: Response) => void)[] = [];
  fakeApi({ [`GET /api/devices/dsns/${DSN}`]: () => new Promise((resolve) => answers.push(resolve)) });
  const client = createQueryClient();
  const read = client.prefetchQuery(deviceQuery(DSN));
  applyDeviceEvent(client, { dsn: DSN, kind: 'acknowledged', device: device() });
  answers[0]?.(ok(at(1, { fan: 2 })));
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  answers[1]?.(ok(at(2, { fan: 5 })));
  await read;
  expect(client.getQueryData<DeviceDetail>(deviceQuery(DSN).queryKey)?.fan).toBe(5);
});

test('the response to a write is stored for the device page and the lists', () => {
  const client = filled();
  const written = deviceDetail({ intensity: 12 });
  applyDeviceDetail(client, written);
  expect(client.getQueryData(deviceQuery(written.dsn).queryKey)).toEqual(written);
  expect(client.getQueryData<DeviceList>(FIRST)?.devices[0]?.intensity).toBe(12);
});

test('a removed device leaves its list, and its page reads again', () => {
  const client = filled();
  const { queryKey } = deviceQuery('OTHER');
  client.setQueryData(queryKey, deviceDetail({ dsn: 'OTHER' }));
  dropDevice(client, 'OTHER');
  const list = client.getQueryData<DeviceList>(FIRST);
  expect([list?.devices.map(({ dsn }) => dsn), list?.total]).toEqual([['AC000W510000001'], 1]);
  expect(client.getQueryState(queryKey)?.isInvalidated).toBe(true);
});

test('a list that was being read omits a device that was removed meanwhile', async () => {
  let answer: (response: Response) => void = () => undefined;
  fakeApi({ 'GET /api/devices': () => new Promise((resolve) => (answer = resolve)) });
  const client = createQueryClient();
  const read = client.fetchQuery(devicesQuery({ page: 1 }));
  dropDevice(client, 'OTHER');
  answer(ok(deviceList([device(), device({ dsn: 'OTHER' })])));
  expect(await read).toMatchObject({ devices: [{ dsn: 'AC000W510000001' }], total: 1 });
});

test('lists are read one call at a time, and once more if a read was in progress', async () => {
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

/** A list with a tag, which is sent only to clients that do not have it. */
function taggedList(list: DeviceList, tag: string) {
  return ({ headers }: Call) =>
    headers.get('if-none-match') === tag
      ? new Response(null, {
          status: 304,
          headers: {
            etag: tag,
            'sillage-as-of': '2026-11-20T13:00:00Z',
            'sillage-states-as-of': '2026-11-20T13:00:05Z',
          },
        })
      : Response.json(list, { headers: { etag: tag } });
}

test('a list that has not changed keeps its rows and gets new times', async () => {
  const client = createQueryClient();
  const options = { ...devicesQuery({ page: 1 }), staleTime: 0 };
  const list = deviceList([device()], { asOf: '2026-11-20T12:00:00Z' });
  const api = fakeApi({ 'GET /api/devices': taggedList(list, 'W/"1"') });
  const first = await client.fetchQuery(options);
  const second = await client.fetchQuery(options);
  expect(api.calls.map(({ headers }) => headers.get('if-none-match'))).toEqual([null, 'W/"1"']);
  expect(second).toEqual({ ...list, asOf: '2026-11-20T13:00:00Z', statesAsOf: '2026-11-20T13:00:05Z' });
  expect(second.devices).toBe(first.devices);
});

test('a response without a body replaces a row that an event changed', async () => {
  const client = createQueryClient();
  const options = { ...devicesQuery({ page: 1 }), staleTime: 0 };
  fakeApi({ 'GET /api/devices': taggedList(deviceList([device({ intensity: 10 })]), 'W/"1"') });
  await client.fetchQuery(options);
  applyDeviceEvent(client, { dsn: DSN, kind: 'commanded', device: device({ intensity: 20 }) });
  expect((await client.fetchQuery(options)).devices[0]?.intensity).toBe(10);
});

test('a list that has changed is replaced, and another query sends no tag', async () => {
  const client = createQueryClient();
  const options = { ...devicesQuery({ page: 1 }), staleTime: 0 };
  fakeApi({ 'GET /api/devices': taggedList(deviceList([device()]), 'W/"1"') });
  await client.fetchQuery(options);
  const api = fakeApi({ 'GET /api/devices': taggedList(deviceList([]), 'W/"2"') });
  expect((await client.fetchQuery(options)).devices).toEqual([]);
  await client.fetchQuery(options);
  await client.fetchQuery(devicesQuery({ page: 2 }));
  expect(api.calls.map(({ headers }) => headers.get('if-none-match'))).toEqual(['W/"1"', 'W/"2"', null]);
});

test('counts are read once more if a read was in progress', async () => {
  const answers: ((response: Response) => void)[] = [];
  const api = fakeApi({ 'GET /api/devices/counts': () => new Promise((resolve) => answers.push(resolve)) });
  const client = createQueryClient();
  const options = deviceCountsQuery({});
  const forget = new QueryObserver(client, options).subscribe(() => undefined);
  await rereadDeviceLists(client);
  expect(api.calls).toHaveLength(1);
  answers[0]?.(ok({ all: 1 }));
  await vi.waitFor(() => expect(api.calls).toHaveLength(2));
  answers[1]?.(ok({ all: 0 }));
  await vi.waitFor(() => expect(client.getQueryData(options.queryKey)).toEqual({ all: 0 }));
  forget();
});

test('counts that have not changed are the same object', async () => {
  const client = createQueryClient();
  const options = { ...deviceCountsQuery({}), staleTime: 0 };
  const counts = { all: 1, online: 1, offline: 0, neverConnected: 0, low: 0 };
  fakeApi({
    'GET /api/devices/counts': ({ headers }) =>
      headers.has('if-none-match')
        ? new Response(null, { status: 304 })
        : Response.json(counts, { headers: { etag: 'W/"1"' } }),
  });
  const first = await client.fetchQuery(options);
  expect(await client.fetchQuery(options)).toBe(first);
});

test('each page of the values of a filter has its own tag', async () => {
  const client = createQueryClient();
  const options = { ...deviceFacetsQuery({ field: 'city' }), staleTime: 0 };
  const api = fakeApi({
    'GET /api/devices/facets': ({ url, headers }) => {
      const page = Number(url.searchParams.get('page'));
      const tag = `W/"${page}"`;
      const values = [{ value: `City ${page}`, filter: `"City ${page}"`, devices: 3 - page }];
      return headers.get('if-none-match') === tag
        ? new Response(null, { status: 304 })
        : Response.json({ values, total: 2, currentPageNumber: page }, { headers: { etag: tag } });
    },
  });
  const first = await client.fetchInfiniteQuery({ ...options, pages: 2 });
  const observer = new InfiniteQueryObserver(client, { ...options, staleTime: Number.POSITIVE_INFINITY });
  const forget = observer.subscribe(() => undefined);
  expect(first.pages.map(({ values }) => values[0]?.value)).toEqual(['City 1', 'City 2']);
  const sent = api.calls.length;
  await rereadDeviceLists(client);
  await vi.waitFor(() => expect(api.calls).toHaveLength(sent + 2));
  expect(api.calls.slice(sent).map(({ headers }) => headers.get('if-none-match'))).toEqual(['W/"1"', 'W/"2"']);
  await vi.waitFor(() => expect(client.isFetching()).toBe(0));
  expect(client.getQueryData(options.queryKey)).toEqual(first);
  forget();
});

test('a device page is read one call at a time, and once more if the device changed meanwhile', async () => {
  const answers: ((response: Response) => void)[] = [];
  const path = `GET /api/devices/dsns/${DSN}`;
  const api = fakeApi({ [path]: () => new Promise((resolve) => answers.push(resolve)) });
  const client = createQueryClient();
  const forget = new QueryObserver(client, deviceQuery(DSN)).subscribe(() => undefined);
  for (let event = 0; event < 10; event += 1) {
    applyDeviceEvent(client, { dsn: DSN, kind: 'reported', device: device() });
  }
  expect(api.calls.map(({ signal }) => signal?.aborted)).toEqual([false]);
  answers[0]?.(ok(at(1)));
  await vi.waitFor(() => expect(api.calls).toHaveLength(2));
  answers[1]?.(ok(at(2)));
  await vi.waitFor(() => expect(client.getQueryData<DeviceDetail>(deviceQuery(DSN).queryKey)).toEqual(at(2)));
  expect(client.isFetching()).toBe(0);
  forget();
});

test('a device that changes all the time is shown after three reads, and read again after a second', async () => {
  vi.useFakeTimers();
  const client = createQueryClient();
  const path = `GET /api/devices/dsns/${DSN}`;
  let changes = 0;
  const api = fakeApi({
    [path]: () => {
      changes += 1;
      if (changes <= 3) applyDeviceEvent(client, { dsn: DSN, kind: 'reported', device: device() });
      return ok(at(changes));
    },
  });
  const forget = new QueryObserver(client, deviceQuery(DSN)).subscribe(() => undefined);
  const shown = () => client.getQueryData<DeviceDetail>(deviceQuery(DSN).queryKey)?.asOf;
  await vi.advanceTimersByTimeAsync(500);
  expect([api.calls.length, shown()]).toEqual([3, at(3).asOf]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([api.calls.length, shown()]).toEqual([4, at(4).asOf]);
  forget();
  vi.useRealTimers();
});
