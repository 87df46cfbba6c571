import type { CspView } from '@/api/schema.gen';
import { fakeApi, ok, session } from './fake-api';
import { renderApp } from './render-app';

export const ID = '6a0f3c0e-0000-4000-8000-000000000001';

export function csp(part: Partial<CspView> = {}): CspView {
  return { id: ID, name: 'AirCo', deviceCount: 0, userCount: 0, isFree: true, can: { edit: true }, ...part };
}

export function cspList(csps: CspView[]) {
  return { csps, total: csps.length, currentPageNumber: 1, asOf: new Date().toISOString() };
}

/** Opens the console at an address of the CSPs; `handlers` override the default responses. */
export function openCsps(address: string, handlers: Parameters<typeof fakeApi>[0] = {}, who = session) {
  const api = fakeApi({
    'GET /api/session': () => ok(who),
    'DELETE /api/session': () => new Response(null, { status: 204 }),
    'GET /api/csps': () => ok(cspList([csp()])),
    [`GET /api/csps/${ID}`]: () => ok(csp()),
    'POST /api/csps': () => Response.json(csp(), { status: 201 }),
    [`PUT /api/csps/${ID}`]: () => ok(csp()),
    [`DELETE /api/csps/${ID}`]: () => new Response(null, { status: 204 }),
    ...handlers,
  });
  return { api, ...renderApp(address) };
}
