import { QueryClientProvider } from '@tanstack/react-query';
import { fakeApi, ok, problem, session } from '@test/fake-api';
import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createQueryClient } from '@/api/query-client';
import { sessionQuery } from '@/api/session';
import { UiProvider } from '@/ui/UiProvider';
import { NoConnection } from './NoConnection';

let answer: () => Response;
let onBack: () => void;
const unreachable = () => {
  throw new TypeError('Failed to fetch');
};

beforeEach(async () => {
  vi.useFakeTimers();
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  answer = unreachable;
  onBack = vi.fn<() => void>();
  fakeApi({ 'GET /api/session': () => answer() });
  const client = createQueryClient();
  await client.prefetchQuery({ ...sessionQuery, retry: false });
  render(
    <QueryClientProvider client={client}>
      <UiProvider>
        <NoConnection onBack={onBack} />
      </UiProvider>
    </QueryClientProvider>,
  );
});

afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

test('shows that there is no connection while the server is unreachable', async () => {
  expect(screen.getByRole('heading', { name: 'No connection' })).toBeVisible();
  await pass(60_000);
  answer = () => problem(503, 'unavailable');
  await pass(60_000);
  expect(onBack).not.toHaveBeenCalled();
});

test.each([
  ['within 5 seconds', () => pass(5_000)],
  [
    'at once when the network is back',
    () => {
      window.dispatchEvent(new Event('offline'));
      window.dispatchEvent(new Event('online'));
      return pass(0);
    },
  ],
  [
    'at once by Retry',
    () => {
      screen.getByRole('button', { name: 'Retry' }).click();
      return pass(0);
    },
  ],
])('opens %s', async (_, wait) => {
  await pass(7_000);
  answer = () => ok(session);
  expect(onBack).not.toHaveBeenCalled();
  await wait();
  expect(onBack).toHaveBeenCalledTimes(1);
});

test('a user whose session has ended can sign in after the reconnection', async () => {
  answer = () => ok(null);
  await pass(6_000);
  expect(onBack).toHaveBeenCalledTimes(1);
});
