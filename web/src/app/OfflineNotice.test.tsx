import { device, deviceList, fakeApi, ok, session } from '@test/fake-api';
import { FakeEventSource } from '@test/fake-event-source';
import { renderApp } from '@test/render-app';
import { act, screen, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import type { TimeFormat } from '@/api/schema.gen';

afterEach(() => {
  vi.useRealTimers();
});

const badge = () => within(screen.getByRole('banner')).getByRole('status');

test.each<[TimeFormat, string]>([
  ['12hour', 'No connection to the server. Last update 3:42 PM.'],
  ['24hour', 'No connection to the server. Last update 15:42.'],
])('a page without a network shows when it was last updated: %s', async (timeFormat, text) => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 10, 22, 15, 42) });
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  let isReachable = true;
  fakeApi({
    'GET /api/session': () => {
      if (!isReachable) throw new TypeError('Failed to fetch');
      return ok({ ...session, timeFormat });
    },
    'GET /api/devices': () => ok(deviceList([device()])),
  });
  renderApp('/devices');
  await screen.findByText('PL-20310');
  act(() => FakeEventSource.latest.send('ready'));
  expect(badge()).toHaveTextContent('Live');
  expect(screen.queryByRole('note')).not.toBeInTheDocument();

  isReachable = false;
  act(() => void window.dispatchEvent(new Event('offline')));
  expect(await screen.findByRole('note')).toHaveTextContent(text);
  expect(badge()).toHaveTextContent('No connection');

  isReachable = true;
  act(() => void window.dispatchEvent(new Event('online')));
  act(() => FakeEventSource.latest.send('ready'));
  expect(badge()).toHaveTextContent('Live');
  expect(screen.queryByRole('note')).not.toBeInTheDocument();
});
