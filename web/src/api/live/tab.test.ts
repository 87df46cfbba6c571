import { FakeEventSource } from '@test/fake-event-source';
import { FakeTab } from '@test/fake-tab';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LiveEvent } from './stream';
import { LiveTab } from './tab';

const opened: { live: LiveTab; browser: FakeTab }[] = [];
let browsers = 0;
const clock = { now: 0 };

beforeEach(() => {
  browsers += 1;
  FakeEventSource.all.length = 0;
  vi.stubGlobal('EventSource', FakeEventSource);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(async () => {
  for (const { live, browser } of opened.splice(0)) {
    live.close();
    browser.crash();
  }
  vi.useRealTimers();
});

function openTab(dsns: string[], name = 'live/dana') {
  const browser = new FakeTab();
  const heard: LiveEvent[] = [];
  const recheck = vi.fn(async () => true);
  const handlers = {
    event: (event: LiveEvent) => heard.push(event),
    recheck,
    isOnline: () => true,
    now: () => clock.now,
  };
  const live = new LiveTab(browser, `${name}/${browsers}`, handlers);
  live.follow(dsns);
  opened.push({ live, browser });
  return { live, browser, heard, recheck };
}

const open = () => FakeEventSource.all.filter((source) => !source.closed);
const followed = () => open().map((source) => new URL(source.url, 'http://x').searchParams.getAll('dsn').join());

/** Waits until the open stream follows exactly these devices, then makes it ready. */
async function streamOf(...dsns: string[]) {
  await vi.waitFor(() => expect(followed().at(-1)).toBe(dsns.join()));
  open().at(-1)?.send('ready');
  await vi.waitFor(() => expect(followed()).toEqual([dsns.join()]));
}

test('tabs share one stream, which follows the devices of all', async () => {
  const first = openTab(['A', 'B']);
  await streamOf('A', 'B');
  const second = openTab(['B', 'C']);
  await streamOf('A', 'B', 'C');
  FakeEventSource.latest.send('list');
  const change = { dsn: 'C', kind: 'reported' };
  FakeEventSource.latest.send('device', change);
  for (const { heard } of [first, second]) {
    await vi.waitFor(() => expect(heard).toContainEqual({ type: 'device', change }));
    expect(heard).toContainEqual({ type: 'list' });
  }
  expect(second.live.getState()).toBe('live');
});

test('the shared stream names the open pages of all tabs', async () => {
  openTab(['A', 'B']);
  await streamOf('A', 'B');
  openTab(['B']).live.follow(['B'], ['B']);
  await vi.waitFor(() => expect(FakeEventSource.latest.url).toBe('/api/events?dsn=A&dsn=B&page=B'));
});

test('only the tab that shows a new device reads again', async () => {
  const first = openTab(['A']);
  await streamOf('A');
  const second = openTab(['B']);
  await streamOf('A', 'B');
  await vi.waitFor(() => expect(second.heard).toContainEqual({ type: 'resync', dsns: ['B'] }));
  expect(first.heard).toEqual([{ type: 'resync' }, { type: 'list' }, { type: 'attention' }]);
});

test('a tab that shows other devices changes the stream; the same devices do not', async () => {
  const { live } = openTab(['A']);
  await streamOf('A');
  live.follow(['B']);
  await streamOf('B');
  live.follow(['B']);
  const other = openTab(['B']);
  await vi.waitFor(() => expect(other.live.getState()).toBe('live'));
  expect(FakeEventSource.all).toHaveLength(2);
});

test.each(['closes', 'crashes'])('when the leader %s, another tab takes over at once', async (how) => {
  const first = openTab(['A']);
  await streamOf('A');
  const second = openTab(['B']);
  await streamOf('A', 'B');
  const source = FakeEventSource.latest;
  if (how === 'closes') first.live.close();
  else {
    first.browser.crash();
    source.close();
  }
  await streamOf('B');
  expect(second.heard.at(-1)).toEqual({ type: 'resync' });
});

test('devices of a closed tab are no longer followed', async () => {
  openTab(['A']);
  await streamOf('A');
  const second = openTab(['B']);
  await streamOf('A', 'B');
  second.browser.crash();
  await streamOf('A');
});

test('a visible tab takes the lead from a hidden one', async () => {
  const first = openTab(['A']);
  await streamOf('A');
  const second = openTab(['B']);
  await streamOf('A', 'B');
  first.browser.show(false);
  await vi.waitFor(() => expect(FakeEventSource.all).toHaveLength(3));
  await streamOf('A', 'B');
  // The second tab is the leader now, so its end closes the stream.
  const source = FakeEventSource.latest;
  second.live.close();
  expect(source.closed).toBe(true);
  await streamOf('A');
});

test('a frozen leader is replaced by a visible tab', async () => {
  const first = openTab(['A']);
  await streamOf('A');
  first.browser.freeze();
  const second = openTab(['B']);
  await vi.waitFor(() => expect(followed()).toContain('B'), { timeout: 3_000 });
  FakeEventSource.latest.send('ready');
  await vi.waitFor(() => expect(second.live.getState()).toBe('live'));
});

test('tabs of another user get no events and follow nothing', async () => {
  const dana = openTab(['A']);
  await streamOf('A');
  const sam = openTab(['B'], 'live/sam');
  await vi.waitFor(() => expect(followed()).toEqual(['A', 'B']));
  FakeEventSource.all[0]?.send('removed', { dsn: 'A' });
  await vi.waitFor(() => expect(dana.heard).toContainEqual({ type: 'removed', dsn: 'A' }));
  expect(sam.heard).toEqual([]);
});

test('all tabs learn of the end of the session and the state of the stream', async () => {
  const first = openTab(['A']);
  await streamOf('A');
  const second = openTab(['A']);
  await vi.waitFor(() => expect(second.live.getState()).toBe('live'));
  FakeEventSource.latest.send('end', { reason: 'access_changed' });
  await vi.waitFor(() => expect(second.heard).toContainEqual({ type: 'end', reason: 'access_changed' }));
  await vi.waitFor(() => expect(second.live.getState()).toBe('reconnecting'));
  expect(first.recheck).toHaveBeenCalled();
  expect(second.recheck).not.toHaveBeenCalled();
});

test('all tabs know the time of the last message, also after a change of leader', async () => {
  const first = openTab(['A']);
  await streamOf('A');
  const second = openTab(['A']);
  await vi.waitFor(() => expect(second.live.getState()).toBe('live'));
  clock.now = 5_000;
  FakeEventSource.latest.send('heartbeat');
  clock.now = 6_000;
  for (const { recheck } of [first, second]) recheck.mockResolvedValue(false);
  first.live.reconnectNow();
  for (const { live } of [first, second]) {
    await vi.waitFor(() => expect(live.getState()).toBe('offline'));
    expect(live.getLastMessageAt()).toBe(5_000);
  }
  first.live.close();
  await vi.waitFor(() => expect(FakeEventSource.latest.closed).toBe(false));
  FakeEventSource.latest.fail();
  await vi.waitFor(() => expect(second.recheck).toHaveBeenCalled());
  expect(second.live.getState()).toBe('offline');
  expect(second.live.getLastMessageAt()).toBe(5_000);
});

test('a tab that is closed before it joined, or twice, leaves no lock or stream', async () => {
  const { live } = openTab(['A']);
  live.close();
  live.close();
  const other = openTab(['B']);
  await streamOf('B');
  other.live.close();
  await vi.waitFor(async () => {
    const { held = [], pending = [] } = await navigator.locks.query();
    expect([...held, ...pending].filter(({ name }) => name?.includes(`/${browsers}`))).toEqual([]);
  });
  expect(open()).toEqual([]);
});
