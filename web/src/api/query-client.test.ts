// @vitest-environment jsdom
import { InfiniteQueryObserver } from '@tanstack/react-query';
import { fakeApi, ok } from '@test/fake-api';
import { auditPage } from '@test/fake-audit';
import { expect, test, vi } from 'vitest';
import { auditQuery } from './audit';
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
