import { device, deviceList, fakeApi, ok, problem, session } from '@test/fake-api';
import { expect, test, vi } from 'vitest';
import { devicesQuery } from './devices';
import { setSessionEndHandler } from './http';
import { createQueryClient } from './query-client';
import { recheckSession, sessionQuery } from './session';

const LIST = devicesQuery({ page: 1 }).queryKey;

/** A page of somebody, on which the session is looked at again. */
async function recheck(answer: () => Response) {
  const ended = vi.fn();
  setSessionEndHandler(ended);
  fakeApi({ 'GET /api/session': answer });
  const client = createQueryClient();
  client.setQueryData(sessionQuery.queryKey, session);
  client.setQueryData(LIST, deviceList([device()]));
  const reachable = await recheckSession(client);
  return { reachable, ended, session: client.getQueryData(sessionQuery.queryKey), list: client.getQueryData(LIST) };
}

test('a session that goes on keeps what is shown, and has its new rights', async () => {
  const after = await recheck(() => ok({ ...session, can: ['devices.view'] }));
  expect(after).toMatchObject({ reachable: true, session: { can: ['devices.view'] }, list: { total: 1 } });
  expect(after.ended).not.toHaveBeenCalled();
});

test('nothing that one user saw is left when another one has signed in', async () => {
  const sam = { ...session, user: { ...session.user, id: '1c7eaf0f-0000-4000-8000-000000000000' } };
  const after = await recheck(() => ok(sam));
  expect(after).toMatchObject({ reachable: true, session: sam, list: undefined });
  expect(after.ended).not.toHaveBeenCalled();
});

test('a session that has ended is told', async () => {
  const after = await recheck(() => ok(null));
  expect(after.reachable).toBe(true);
  expect(after.ended).toHaveBeenCalledTimes(1);
});

test('a server in trouble is no end of the session', async () => {
  const after = await recheck(() => problem(503, 'unavailable'));
  expect(after).toMatchObject({ reachable: false, session, list: { total: 1 } });
  expect(after.ended).not.toHaveBeenCalled();
});
