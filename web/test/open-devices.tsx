import { type Call, deviceDetail, fakeApi, ok, session } from './fake-api';
import { facetsAnswer } from './fake-facets';
import { renderApp } from './render-app';

/** Opens the console at an address of the device list, whose response is `answer`. */
export function openDevices(address: string, answer: (call: Call) => Response | Promise<Response>, who = session) {
  const api = fakeApi({
    'GET /api/session': () => ok(who),
    'GET /api/devices': answer,
    'GET /api/devices/counts': () => ok({ all: 9, online: 4, offline: 3, neverConnected: 2, low: 1, runsDry: 2 }),
    'GET /api/devices/facets': facetsAnswer({
      csp: { AirCo: 6, 'Northlight Scents': 3 },
      model: { AQ290: 8, AQ880w1250: 1 },
      connectionstatus: { Online: 4, Offline: 3, NeverConnected: 2 },
    }),
    'GET /api/devices/dsns/AC000W510000001': () => ok(deviceDetail()),
    'GET /api/csps/all': () =>
      ok([
        { id: '1', name: 'AirCo' },
        { id: '2', name: 'Northlight Scents' },
      ]),
    'DELETE /api/session': () => new Response(null, { status: 204 }),
  });
  return { api, ...renderApp(address) };
}
