import { FakeEventSource } from '@test/fake-event-source';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LiveStream } from './stream';

function streamWith(recheck: () => Promise<boolean>) {
  const handlers = { event: vi.fn(), recheck: vi.fn(recheck) };
  return { stream: new LiveStream(handlers), handlers };
}

beforeEach(() => {
  FakeEventSource.all.length = 0;
  vi.stubGlobal('EventSource', FakeEventSource);
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('follows the named devices and opens anew only when they change', () => {
  const { stream } = streamWith(async () => true);
  stream.follow(['B', 'A&C']);
  stream.follow(['A&C', 'B']);
  expect(FakeEventSource.all.map((source) => source.url)).toEqual(['/api/events?dsn=A%26C&dsn=B']);
  stream.follow(['B']);
  expect(FakeEventSource.all[0]?.closed).toBe(true);
  expect(FakeEventSource.latest.url).toBe('/api/events?dsn=B');
});

test('hands on events, and asks to read again when ready and on resync', () => {
  const { stream, handlers } = streamWith(async () => true);
  stream.follow(['A']);
  FakeEventSource.latest.send('ready');
  expect(stream.getState()).toBe('live');
  FakeEventSource.latest.send('device', { dsn: 'A', kind: 'reported' });
  FakeEventSource.latest.send('removed', { dsn: 'A' });
  FakeEventSource.latest.send('list');
  FakeEventSource.latest.send('resync');
  expect(handlers.event.mock.calls.flat()).toEqual([
    { type: 'resync' },
    { type: 'device', change: { dsn: 'A', kind: 'reported' } },
    { type: 'removed', dsn: 'A' },
    { type: 'list' },
    { type: 'resync' },
  ]);
});

test('other devices are followed without a gap, and only the new ones are read again', () => {
  const { stream, handlers } = streamWith(async () => true);
  stream.follow(['A', 'B']);
  FakeEventSource.latest.send('ready');
  const before = FakeEventSource.latest;
  stream.follow(['B', 'C']);
  expect(before.closed).toBe(false);
  FakeEventSource.latest.send('ready');
  expect(before.closed).toBe(true);
  expect(handlers.event).toHaveBeenLastCalledWith({ type: 'resync', dsns: ['C'] });
  handlers.event.mockClear();
  stream.follow(['C']);
  FakeEventSource.latest.send('ready');
  expect(handlers.event).not.toHaveBeenCalled();
  expect(stream.getState()).toBe('live');
});

test('a broken stream checks the session, reconnects and reads again', async () => {
  const { stream, handlers } = streamWith(async () => true);
  stream.follow(['A']);
  FakeEventSource.latest.send('ready');
  FakeEventSource.latest.fail();
  expect(stream.getState()).toBe('reconnecting');
  expect(handlers.recheck).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(FakeEventSource.all).toHaveLength(2);
  FakeEventSource.latest.send('ready');
  expect(stream.getState()).toBe('live');
  expect(handlers.event.mock.calls).toEqual([[{ type: 'resync' }], [{ type: 'resync' }]]);
});

test('is offline while the server is out of reach, without blinking between tries', async () => {
  const { stream } = streamWith(async () => false);
  const states: string[] = [];
  stream.subscribe(() => states.push(stream.getState()));
  stream.follow(['A']);
  FakeEventSource.latest.fail();
  await vi.advanceTimersByTimeAsync(2_000);
  FakeEventSource.latest.fail();
  await vi.advanceTimersByTimeAsync(0);
  expect(new Set(states)).toEqual(new Set(['reconnecting', 'offline']));
  expect(states.indexOf('offline')).toBe(1);
  expect(states.slice(1)).not.toContain('reconnecting');
});

test('an ended stream checks the session', () => {
  const { stream, handlers } = streamWith(async () => true);
  stream.follow([]);
  FakeEventSource.latest.send('end', { reason: 'signed_out' });
  expect(handlers.event).toHaveBeenCalledWith({ type: 'end' });
  expect(handlers.recheck).toHaveBeenCalledTimes(1);
  expect(FakeEventSource.latest.closed).toBe(true);
});

test('a closed stream stays closed', async () => {
  const { stream } = streamWith(async () => true);
  stream.follow(['A']);
  FakeEventSource.latest.fail();
  stream.close();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(FakeEventSource.all).toHaveLength(1);
});
