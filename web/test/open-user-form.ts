import { fakeApi, ok, session } from './fake-api';
import { auditPage } from './fake-audit';
import { ID, person } from './fake-user';
import { renderApp } from './render-app';

export const ADDRESS = `/users/${ID}`;
export const INVITE = 'POST /api/users';
export const PAGE = `GET /api/users/${ID}`;
export const SAVE = `PUT /api/users/${ID}`;
export const REMOVE = `DELETE /api/users/${ID}`;
export const RESET = `POST /api/users/${ID}/password-reset`;
export const FOLLOW_UP = `POST /api/users/${ID}`;

/** Opens the console at an address of the form; `handlers` override the default responses. */
export function openUserForm(address: string, handlers: Parameters<typeof fakeApi>[0] = {}, who = session) {
  const api = fakeApi({
    'GET /api/session': () => ok(who),
    'GET /api/csps/all': () => ok(['AirCo', 'Northlight Scents'].map((name, id) => ({ id: String(id), name }))),
    'GET /api/audit': () => ok(auditPage([])),
    'GET /api/users': () => ok({ users: [], total: 0, currentPageNumber: 1, asOf: null }),
    [INVITE]: () => Response.json({ id: ID }, { status: 201 }),
    [PAGE]: () => ok(person()),
    [SAVE]: () => ok(person()),
    [REMOVE]: () => new Response(null, { status: 204 }),
    [RESET]: () => new Response(null, { status: 204 }),
    [FOLLOW_UP]: () => ok(person()),
    ...handlers,
  });
  return { api, ...renderApp(address) };
}
