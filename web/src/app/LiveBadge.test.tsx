import { deviceDetail, fakeApi, ok, session } from '@test/fake-api';
import { FakeEventSource } from '@test/fake-event-source';
import { renderApp } from '@test/render-app';
import { act, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const DSN = 'AC000W510000001';
const DEVICE = `GET /api/devices/dsns/${DSN}`;
const HISTORY_AND_FORECAST = { from: '', to: '', level: [], activity: [], intensity: [], status: null, marks: [] };
const badge = () => within(screen.getByRole('banner')).getByRole('status');

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Opens the page of a device whose stream has not sent anything yet. */
async function openDevice() {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    [DEVICE]: () => ok(deviceDetail()),
    [`${DEVICE}/history`]: () => ok(HISTORY_AND_FORECAST),
  });
  renderApp(`/devices/${DSN}`);
  await screen.findByRole('heading', { level: 1 });
  return { reads: () => api.count(DEVICE) };
}

/** Lets time pass with a heartbeat every 5 s. */
async function passLive(seconds: number) {
  for (let passed = 0; passed < seconds; passed += 5) {
    FakeEventSource.latest.send('heartbeat');
    await act(() => vi.advanceTimersByTimeAsync(5_000));
  }
}

test('a device page whose stream stays mute is read every 30 seconds, and says so, until the stream opens', async () => {
  const { reads } = await openDevice();
  await act(() => vi.advanceTimersByTimeAsync(5_000));
  expect(badge()).toHaveTextContent('Updated every 30 s');

  for (let minutes = 0; minutes < 2; minutes += 1) {
    const before = reads();
    await act(() => vi.advanceTimersByTimeAsync(30_000));
    expect(reads()).toBeGreaterThan(before);
    expect(badge()).toHaveTextContent('Updated every 30 s');
  }

  await act(async () => FakeEventSource.latest.send('ready'));
  expect(badge()).toHaveTextContent('Live');
  const before = reads();
  await passLive(90);
  expect(badge()).toHaveTextContent('Live');
  expect(reads()).toBe(before);
});

test.each([20, 25, 30])('a page whose stream falls silent after %i s is read again within 30 s', async (seconds) => {
  const { reads } = await openDevice();
  await act(async () => FakeEventSource.latest.send('ready'));
  await passLive(seconds);
  const before = reads();
  await act(() => vi.advanceTimersByTimeAsync(25_000));
  expect(reads()).toBeGreaterThan(before);
  expect(badge()).toHaveTextContent('Updated every 30 s');
});
