// @vitest-environment jsdom
import { device, deviceList, fakeApi, ok, problem, session } from '@test/fake-api';
import { expect, test, vi } from 'vitest';
import { devicesQuery } from './devices';
import { call, setSessionEndHandler } from './http';
import { createQueryClient } from './query-client';
import { changeSession, readSession, recheckSession, sessionQuery, setAccessChangeHandler } from './session';

const LIST = devicesQuery({ page: 1 }).queryKey;

/** A page on which the session is read again. */
async function recheck(answer: () => Response) {
  const [ended, changed] = [vi.fn(), vi.fn()];
  setSessionEndHandler(ended);
  setAccessChangeHandler(changed);
  fakeApi({ 'GET /api/session': answer });
  const client = createQueryClient();
  client.setQueryData(sessionQuery.queryKey, session);
  client.setQueryData(LIST, deviceList([device()]));
  // Two concurrent calls have one effect.
  const [reachable] = await Promise.all([recheckSession(client), recheckSession(client)]);
  return {
    reachable,
    ended,
    changed,
    session: client.getQueryData(sessionQuery.queryKey),
    list: client.getQueryData(LIST),
  };
}

test('an unchanged session keeps the displayed data', async () => {
  const after = await recheck(() => ok({ ...session, expiresAt: '2026-11-21T13:00:00Z' }));
  expect(after).toMatchObject({ reachable: true, session: { expiresAt: '2026-11-21T13:00:00Z' }, list: { total: 1 } });
  expect(after.ended).not.toHaveBeenCalled();
  expect(after.changed).not.toHaveBeenCalled();
});

test.each([
  ['another one has signed in', { user: { ...session.user, id: '1c7eaf0f-0000-4000-8000-000000000000' } }],
  ['the role is another one', { role: 'OEM::Observer' }],
  ['the CSP is another one', { csp: 'Northlight Scents' }],
  ['the rights are fewer', { can: ['devices.view' as const] }],
])('displayed data is removed when %s', async (_, part) => {
  const after = await recheck(() => ok({ ...session, ...part }));
  expect(after).toMatchObject({ reachable: true, session: part, list: undefined });
  expect(after.changed).toHaveBeenCalledTimes(1);
  expect(after.ended).not.toHaveBeenCalled();
});

test('the end of the session is reported', async () => {
  const after = await recheck(() => ok(null));
  expect(after.reachable).toBe(true);
  expect(after.ended).toHaveBeenCalledTimes(1);
});

test('a server error does not end the session', async () => {
  const after = await recheck(() => problem(503, 'unavailable'));
  expect(after).toMatchObject({ reachable: false, session, list: { total: 1 } });
  expect(after.ended).not.toHaveBeenCalled();
});

test('a read in progress does not undo a change made meanwhile', async () => {
  const answers = [Promise.withResolvers<Response>(), Promise.withResolvers<Response>()];
  let reads = 0;
  fakeApi({ 'GET /api/session': () => answers[reads++]?.promise ?? problem(500, 'internal') });
  const client = createQueryClient();
  client.setQueryData(sessionQuery.queryKey, session);
  const reachable = recheckSession(client);
  await vi.waitFor(() => expect(reads).toBe(1));
  await changeSession(client, (before) => ({ ...before, timeFormat: '24hour' }));
  answers[0]?.resolve(ok(session));
  await vi.waitFor(() => expect(reads).toBe(2));
  expect(client.getQueryData(sessionQuery.queryKey)?.timeFormat).toBe('24hour');
  expect(await reachable).toBe(true);
  answers[1]?.resolve(ok({ ...session, timeFormat: '24hour', role: 'OEM::Observer' }));
  await vi.waitFor(() => expect(client.getQueryData(sessionQuery.queryKey)?.role).toBe('OEM::Observer'));
});

test('writes name the user whom the page shows, and reads do not', async () => {
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    'PUT /api/account/digest/assignments': () => ok(null),
  });
  await readSession();
  await call('PUT /api/account/digest/assignments', { body: { wanted: true } });
  expect(api.calls.map(({ headers }) => headers.get('sillage-user'))).toEqual([null, session.user.id]);
});

test('after the refusal of a write the page shows the user who has signed in', async () => {
  const other = { ...session, user: { ...session.user, id: '1c7eaf0f-0000-4000-8000-000000000000' } };
  fakeApi({
    'GET /api/session': () => ok(other),
    'PUT /api/account/digest/assignments': () => problem(403, 'other_user'),
  });
  const client = createQueryClient();
  client.setQueryData(sessionQuery.queryKey, session);
  const changed = vi.fn();
  setAccessChangeHandler(changed);
  const body = { wanted: true };
  const write = client
    .getMutationCache()
    .build(client, { mutationFn: () => call('PUT /api/account/digest/assignments', { body }) });
  await expect(write.execute(undefined)).rejects.toMatchObject({ code: 'other_user' });
  await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1));
  expect(client.getQueryData(sessionQuery.queryKey)).toEqual(other);
});
