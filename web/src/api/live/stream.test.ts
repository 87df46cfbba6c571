import { FakeEventSource } from '@test/fake-event-source';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LiveStream } from './stream';

const browser = { now: 0, isOnline: true };

function streamWith(recheck: () => Promise<boolean>) {
  const handlers = {
    event: vi.fn(),
    recheck: vi.fn(recheck),
    isOnline: () => browser.isOnline,
    now: () => browser.now,
  };
  return { stream: new LiveStream(handlers), handlers };
}

beforeEach(() => {
  browser.now = 1_000;
  browser.isOnline = true;
  FakeEventSource.all.length = 0;
  vi.stubGlobal('EventSource', FakeEventSource);
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('follows the named devices and reopens only when they change', () => {
  const { stream } = streamWith(async () => true);
  stream.follow(['B', 'A&C']);
  stream.follow(['A&C', 'B']);
  expect(FakeEventSource.all.map((source) => source.url)).toEqual(['/api/events?dsn=A%26C&dsn=B']);
  stream.follow(['B']);
  expect(FakeEventSource.all[0]?.closed).toBe(true);
  expect(FakeEventSource.latest.url).toBe('/api/events?dsn=B');
});

test('names the devices whose page is open, and reopens when a page opens', () => {
  const { stream } = streamWith(async () => true);
  stream.follow(['A', 'B']);
  stream.follow(['A', 'B'], ['B']);
  stream.follow(['B', 'A'], ['B']);
  expect(FakeEventSource.all.map((source) => source.url)).toEqual([
    '/api/events?dsn=A&dsn=B',
    '/api/events?dsn=A&dsn=B&page=B',
  ]);
});

test('passes events on, and requests a reread when ready and on resync', () => {
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

test('other devices are followed without a gap, and only the new ones and lists are read again', () => {
  const { stream, handlers } = streamWith(async () => true);
  stream.follow(['A', 'B']);
  FakeEventSource.latest.send('ready');
  const before = FakeEventSource.latest;
  stream.follow(['B', 'C']);
  expect(before.closed).toBe(false);
  FakeEventSource.latest.send('ready');
  expect(before.closed).toBe(true);
  const collected = [{ type: 'list' }, { type: 'attention' }];
  expect(handlers.event.mock.calls.flat()).toEqual([{ type: 'resync' }, { type: 'resync', dsns: ['C'] }, ...collected]);
  handlers.event.mockClear();
  stream.follow(['C']);
  FakeEventSource.latest.send('ready');
  expect(handlers.event.mock.calls.flat()).toEqual(collected);
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

test('stays offline between retries while the server is unreachable', async () => {
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
  expect(handlers.event).toHaveBeenCalledWith({ type: 'end', reason: 'signed_out' });
  expect(handlers.recheck).toHaveBeenCalledTimes(1);
  expect(FakeEventSource.latest.closed).toBe(true);
});

test('a stream that ends because the user has too many pauses, and opens again later', async () => {
  const { stream, handlers } = streamWith(async () => true);
  stream.follow(['A']);
  FakeEventSource.latest.send('ready');
  handlers.event.mockClear();
  FakeEventSource.latest.send('end', { reason: 'too_many_streams' });
  expect(FakeEventSource.latest.closed).toBe(true);
  await vi.advanceTimersByTimeAsync(80_000);
  expect([stream.getState(), FakeEventSource.all.length]).toEqual(['paused', 1]);
  expect([handlers.event.mock.calls, handlers.recheck.mock.calls]).toEqual([[], []]);
  for (let seconds = 80; seconds < 151 && FakeEventSource.all.length < 2; seconds += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
  }
  FakeEventSource.all[1]?.send('ready');
  expect(stream.getState()).toBe('live');
  expect(handlers.event).toHaveBeenCalledWith({ type: 'resync' });
});

test('a stream that ends for this reason while it is being replaced does not pause its successor', () => {
  const { stream, handlers } = streamWith(async () => true);
  stream.follow(['A']);
  FakeEventSource.latest.send('ready');
  stream.follow(['B']);
  const [first, second] = FakeEventSource.all;
  first?.send('end', { reason: 'too_many_streams' });
  handlers.event.mockClear();
  second?.send('ready');
  expect([first?.closed, second?.closed, stream.getState()]).toEqual([true, false, 'live']);
  expect(handlers.event).toHaveBeenCalledWith({ type: 'resync' });
});

test('a stream of a stopping server opens again when the server said, and reads again', async () => {
  const { stream, handlers } = streamWith(async () => true);
  stream.follow(['A']);
  FakeEventSource.latest.send('ready');
  handlers.event.mockClear();
  FakeEventSource.latest.send('reconnect', { afterMs: 1_700 });
  expect([FakeEventSource.latest.closed, stream.getState()]).toEqual([true, 'reconnecting']);
  await vi.advanceTimersByTimeAsync(1_699);
  expect([FakeEventSource.all.length, handlers.recheck.mock.calls]).toEqual([1, []]);
  await vi.advanceTimersByTimeAsync(1);
  FakeEventSource.all[1]?.send('ready');
  expect(stream.getState()).toBe('live');
  expect(handlers.event.mock.calls.flat()).toEqual([{ type: 'resync' }]);
});

test('a closed stream stays closed', async () => {
  const { stream } = streamWith(async () => true);
  stream.follow(['A']);
  FakeEventSource.latest.fail();
  stream.close();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(FakeEventSource.all).toHaveLength(1);
});

test('a stream without messages for 8 seconds is opened again', async () => {
  const { stream, handlers } = streamWith(async () => true);
  stream.follow(['A']);
  FakeEventSource.latest.send('ready');
  const silent = FakeEventSource.latest;
  for (const type of ['heartbeat', 'list', 'heartbeat']) {
    await vi.advanceTimersByTimeAsync(7_999);
    silent.send(type);
  }
  expect(stream.getState()).toBe('live');
  await vi.advanceTimersByTimeAsync(7_999);
  expect(handlers.recheck).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(stream.getState()).toBe('reconnecting');
  expect(silent.closed).toBe(true);
  await vi.advanceTimersByTimeAsync(2_000);
  FakeEventSource.latest.send('ready');
  expect(stream.getState()).toBe('live');
  expect(handlers.event).toHaveBeenLastCalledWith({ type: 'resync' });
});

test('a stream that does not open within 15 seconds is opened again', async () => {
  const { stream } = streamWith(async () => true);
  stream.follow(['A']);
  await vi.advanceTimersByTimeAsync(14_999);
  expect(FakeEventSource.all).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(FakeEventSource.all.map(({ closed }) => closed)).toEqual([true, false]);
});

test('a lost network is reported at once, with the time of the last message', async () => {
  const { stream } = streamWith(async () => false);
  stream.follow(['A']);
  expect(stream.getLastMessageAt()).toBeUndefined();
  browser.now = 60_000;
  FakeEventSource.latest.send('ready');
  browser.now = 65_000;
  FakeEventSource.latest.send('heartbeat');
  browser.now = 66_000;
  stream.reconnectNow();
  FakeEventSource.latest.fail();
  await vi.advanceTimersByTimeAsync(0);
  expect(stream.getState()).toBe('offline');
  expect(stream.getLastMessageAt()).toBe(65_000);
});

test('a browser without a network is offline at once, despite a response in transit', async () => {
  const { stream } = streamWith(async () => true);
  stream.follow(['A']);
  FakeEventSource.latest.send('ready');
  browser.isOnline = false;
  stream.reconnectNow();
  expect(stream.getState()).toBe('offline');
  await vi.advanceTimersByTimeAsync(0);
  expect(stream.getState()).toBe('offline');
  FakeEventSource.latest.send('ready');
  expect(stream.getState()).toBe('live');
});

test('a server that does not answer is offline after 1.5 seconds, and until it answers', async () => {
  const answer = Promise.withResolvers<boolean>();
  const { stream } = streamWith(() => answer.promise);
  stream.follow(['A']);
  FakeEventSource.latest.send('ready');
  stream.reconnectNow();
  await vi.advanceTimersByTimeAsync(1_499);
  expect(stream.getState()).toBe('reconnecting');
  await vi.advanceTimersByTimeAsync(1);
  expect(stream.getState()).toBe('offline');
  answer.resolve(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(stream.getState()).toBe('reconnecting');
});

test('a stream that is back before the server has answered stays live', async () => {
  const { stream } = streamWith(() => new Promise(() => undefined));
  stream.follow(['A']);
  FakeEventSource.latest.fail();
  stream.reconnectNow();
  FakeEventSource.latest.send('ready');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(stream.getState()).toBe('live');
});

test('a restored network ends the wait for the next retry, and everything is read again', async () => {
  const { stream, handlers } = streamWith(async () => false);
  stream.follow(['A']);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    FakeEventSource.latest.fail();
    await vi.advanceTimersByTimeAsync(20_000);
  }
  FakeEventSource.latest.fail();
  const before = FakeEventSource.all.length;
  stream.reconnectNow();
  expect(FakeEventSource.all).toHaveLength(before + 1);
  FakeEventSource.latest.send('ready');
  expect(stream.getState()).toBe('live');
  expect(handlers.event).toHaveBeenLastCalledWith({ type: 'resync' });
});

test('a network change before the first subscription opens no stream', async () => {
  const { stream, handlers } = streamWith(async () => true);
  stream.reconnectNow();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(FakeEventSource.all).toEqual([]);
  expect(handlers.recheck).not.toHaveBeenCalled();
});

test('a stream for further devices that does not open leaves the page not live, and its predecessor goes on', async () => {
  const { stream, handlers } = streamWith(async () => true);
  stream.follow(['A']);
  const [first] = FakeEventSource.all;
  first?.send('ready');
  stream.follow(['A', 'B']);
  const wait = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 5_000) {
      await vi.advanceTimersByTimeAsync(5_000);
      first?.send('heartbeat');
    }
  };
  await wait(5_000);
  expect(stream.getState()).toBe('polling');
  await wait(15_000);
  // The heartbeats of the first stream do not extend the wait for the second.
  expect(FakeEventSource.all.map(({ closed }) => closed)).toEqual([false, true, false]);
  FakeEventSource.latest.send('ready');
  expect([first?.closed, stream.getState()]).toEqual([true, 'live']);
  expect(handlers.event).toHaveBeenCalledWith({ type: 'resync', dsns: ['B'] });
});

test('a page whose devices the open stream follows stays live while another stream opens', async () => {
  const { stream } = streamWith(async () => true);
  stream.follow(['A', 'B']);
  const [first] = FakeEventSource.all;
  first?.send('ready');
  stream.follow(['A']);
  await vi.advanceTimersByTimeAsync(5_000);
  first?.send('heartbeat');
  expect(stream.getState()).toBe('live');
  FakeEventSource.latest.fail();
  expect([first?.closed, stream.getState()]).toEqual([false, 'live']);
  stream.follow(['A', 'C']);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(stream.getState()).toBe('polling');
  stream.follow(['B']);
  expect(stream.getState()).toBe('live');
});

test('a stream that is lost while its successor opens does not close it', () => {
  const { stream, handlers } = streamWith(async () => true);
  stream.follow(['A']);
  FakeEventSource.latest.send('ready');
  stream.follow(['B']);
  const [first, second] = FakeEventSource.all;
  first?.fail();
  expect([first?.closed, second?.closed, stream.getState()]).toEqual([true, false, 'reconnecting']);
  handlers.event.mockClear();
  second?.send('ready');
  expect(stream.getState()).toBe('live');
  expect(handlers.event.mock.calls.flat()).toEqual([{ type: 'resync' }]);
});

test.each([
  ['is mute', () => undefined],
  ['is refused', () => FakeEventSource.latest.fail()],
])('a stream that %s is reported within half a minute, until a stream opens', async (_, disturb) => {
  const { stream } = streamWith(async () => true);
  stream.follow(['A']);
  for (let seconds = 0; seconds < 30; seconds += 1) {
    disturb();
    await vi.advanceTimersByTimeAsync(1_000);
  }
  const states = new Set<string>();
  stream.subscribe(() => states.add(stream.getState()));
  for (let seconds = 0; seconds < 60; seconds += 1) {
    disturb();
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect([...states, stream.getState()]).toEqual(['polling', 'polling']);
  FakeEventSource.latest.send('ready');
  expect(stream.getState()).toBe('live');
});
