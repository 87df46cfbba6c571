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

test('a device page whose stream stays mute is read every 30 seconds, and says so, until the stream opens', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    [DEVICE]: () => ok(deviceDetail()),
    [`${DEVICE}/history`]: () => ok(HISTORY_AND_FORECAST),
  });
  renderApp(`/devices/${DSN}`);
  await screen.findByRole('heading', { level: 1 });
  await act(() => vi.advanceTimersByTimeAsync(5_000));
  expect(badge()).toHaveTextContent('Updated every 30 s');

  for (let minutes = 0; minutes < 2; minutes += 1) {
    const before = api.count(DEVICE);
    await act(() => vi.advanceTimersByTimeAsync(30_000));
    expect(api.count(DEVICE)).toBeGreaterThan(before);
    expect(badge()).toHaveTextContent('Updated every 30 s');
  }

  await act(async () => FakeEventSource.latest.send('ready'));
  expect(badge()).toHaveTextContent('Live');
});
