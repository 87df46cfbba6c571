// @vitest-environment jsdom

import { QueryObserver } from '@tanstack/react-query';
import { fakeApi, ok } from '@test/fake-api';
import { expect, test, vi } from 'vitest';
import { attentionCountQuery, rereadAttentionItems } from './attention';
import { createQueryClient } from './query-client';

test('events during a slow read do not cancel it, and cause one more read', async () => {
  const reads: { signal: AbortSignal | null | undefined; answer: (response: Response) => void }[] = [];
  fakeApi({
    'GET /api/attention/count': ({ signal }) => new Promise((answer) => reads.push({ signal, answer })),
  });
  const client = createQueryClient();
  const observer = new QueryObserver(client, attentionCountQuery);
  const stop = observer.subscribe(() => undefined);
  await vi.waitFor(() => expect(reads).toHaveLength(1));

  void rereadAttentionItems(client);
  await vi.waitFor(() => undefined);
  expect([reads.length, reads[0]?.signal?.aborted]).toEqual([1, false]);
  reads[0]?.answer(ok({ new: 1, high: 0, assigned: 0, snoozed: 0 }));
  await vi.waitFor(() => expect(reads).toHaveLength(2));
  expect(observer.getCurrentResult().data).toEqual({ new: 1, high: 0, assigned: 0, snoozed: 0 });
  reads[1]?.answer(ok({ new: 2, high: 0, assigned: 0, snoozed: 0 }));
  await vi.waitFor(() =>
    expect(observer.getCurrentResult().data).toEqual({ new: 2, high: 0, assigned: 0, snoozed: 0 }),
  );
  stop();
});

test('a failed read is read again when it is shown later, but not at once', async () => {
  const api = fakeApi({ 'GET /api/attention/count': () => new Response(null, { status: 500 }) });
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.useFakeTimers({ toFake: ['Date'] });
  const client = createQueryClient();
  const show = () => new QueryObserver(client, attentionCountQuery).subscribe(() => undefined);
  await client.prefetchQuery(attentionCountQuery);
  show()();
  expect(api.count('GET /api/attention/count')).toBe(1);
  vi.setSystemTime(Date.now() + 5_001);
  show()();
  await vi.waitFor(() => expect(api.count('GET /api/attention/count')).toBe(2));
  vi.useRealTimers();
});
