// @vitest-environment jsdom
import { InfiniteQueryObserver } from '@tanstack/react-query';
import { fakeApi, ok } from '@test/fake-api';
import { auditPage } from '@test/fake-audit';
import { expect, test, vi } from 'vitest';
import { auditQuery } from './audit';
import { ApiError } from './errors';
import { createQueryClient } from './query-client';

test('a write does not wait for the audit to be read again', async () => {
  const client = createQueryClient();
  const api = fakeApi({
    'GET /api/audit': () => (api.calls.length === 1 ? ok(auditPage([])) : new Promise<Response>(() => undefined)),
  });
  const stop = new InfiniteQueryObserver(client, auditQuery({})).subscribe(() => undefined);
  await vi.waitFor(() => expect(client.getQueryData(auditQuery({}).queryKey)).toBeDefined());
  const write = client.getMutationCache().build(client, { mutationFn: async () => 'saved' });
  expect(await write.execute(undefined)).toBe('saved');
  expect(api.count('GET /api/audit')).toBe(2);
  stop();
});

test('a repeated write that was changed since is not a success, and what is shown is read again', async () => {
  const client = createQueryClient();
  const api = fakeApi({ 'GET /api/audit': () => ok(auditPage([])) });
  const stop = new InfiniteQueryObserver(client, auditQuery({})).subscribe(() => undefined);
  await vi.waitFor(() => expect(client.getQueryData(auditQuery({}).queryKey)).toBeDefined());
  client.setQueryData(['devices', 'detail'], 'before');
  const refused = new ApiError(409, 'changed_since', 'Changed since.');
  const write = client.getMutationCache().build(client, { mutationFn: () => Promise.reject(refused) });
  await expect(write.execute(undefined)).rejects.toBe(refused);
  expect(client.getQueryState(['devices', 'detail'])?.isInvalidated).toBe(true);
  await vi.waitFor(() => expect(api.count('GET /api/audit')).toBeGreaterThan(1));
  stop();
});
