import { vi } from 'vitest';
import type { DeviceDetail, DeviceList, DeviceView, Problem, Session } from '@/api/schema.gen';
import { missingFrame } from '@/domain/schedule-text';

export interface Call {
  method: string;
  url: URL;
  body: unknown;
  headers: Headers;
  signal: AbortSignal | null | undefined;
}

type Handler = (call: Call) => Response | Promise<Response>;

/** Replaces fetch by handlers for 'METHOD /path' and records every call. */
export function fakeApi(handlers: Record<string, Handler>): { calls: Call[]; count: (key: string) => number } {
  const calls: Call[] = [];
  const keyOf = ({ method, url }: Call) => `${method} ${url.pathname}`;
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const call: Call = {
      method: init?.method ?? 'GET',
      url: new URL(input, 'http://console.test'),
      body: init?.body ? JSON.parse(String(init.body)) : undefined,
      headers: new Headers(init?.headers),
      signal: init?.signal,
    };
    calls.push(call);
    const handler = handlers[keyOf(call)] ?? defaultHandler(keyOf(call));
    if (!handler) throw new Error(`the test answers no ${keyOf(call)}`);
    return handler(call);
  });
  return { calls, count: (key) => calls.filter((call) => keyOf(call) === key).length };
}

/** Nothing needs attention, no customer is known, and a device has no notifications, unless a test sets some. */
function defaultHandler(key: string): Handler | undefined {
  if (key === 'GET /api/attention/count') return () => ok({ new: 0, high: 0, assigned: 0, snoozed: 0 });
  if (key === 'GET /api/devices/customers') return () => ok([]);
  return /^GET \/api\/devices\/dsns\/[^/]+\/notifications$/.test(key) ? () => ok([]) : undefined;
}

export function ok(body: unknown): Response {
  return Response.json(body);
}

export function problem(status: number, code: string, rest: Partial<Problem> = {}): Response {
  const body = { type: 'about:blank', title: code, status, code, ...rest };
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/problem+json' } });
}

export const session: Session = {
  user: { id: '0b6d9b5e-5a0c-4f0e-9d0e-3c1f5a2b7c8d', email: 'dana@example.com', firstname: 'Dana', lastname: 'Hill' },
  role: 'OEM::Admin',
  roleName: 'Admin',
  csp: null,
  expiresAt: '2026-11-21T12:00:00Z',
  timeFormat: '12hour',
  listPreferences: { pageSizes: {}, density: 'comfortable' },
  needsSecondFactor: false,
  can: [
    'devices.view',
    'devices.add',
    'devices.bulk_edit',
    'users.view',
    'users.invite',
    'csps.view',
    'csps.edit',
    'fragrances.edit',
    'audit.view',
  ],
  roleChoices: [
    { role: 'OEM::Admin', roleName: 'Admin', needsCsp: false },
    { role: 'OEM::Observer', roleName: 'Observer', needsCsp: false },
    { role: 'OEM::ProlitecCommercial::CspAdmin', roleName: 'CSP Admin', needsCsp: true },
    { role: 'OEM::ProlitecCommercial::CspObserver', roleName: 'CSP Observer', needsCsp: true },
    { role: 'OEM::ProlitecCommercial::CspTech', roleName: 'CSP Technician', needsCsp: true },
  ],
};

export function device(part: Partial<DeviceView> = {}): DeviceView {
  return {
    dsn: 'AC000W510000001',
    serialNumber: 'PL-20310',
    customer: 'Harbor Hotels',
    customerId: null,
    storeNumber: null,
    installedAt: null,
    fragrance: 'White Tea',
    fragranceSku: 'WT-1',
    cartridgeMl: 500,
    street: null,
    zip: null,
    city: 'Chicago',
    state: 'IL',
    country: 'US',
    timeZone: 'America/Chicago',
    serviceArea: 'Lobby',
    systemConfiguration: 'AQ290',
    systemConfigurationLabel: 'AQ200 Series 500 mL',
    fragranceRemaining: 62,
    supply: 'other',
    emptySince: null,
    runsDryAt: null,
    forecastObstacle: null,
    isProvisional: false,
    network: 'LAN',
    connectionStatus: 'Online',
    neverConnected: false,
    connectedAt: '2026-11-20T12:00:00Z',
    connectionChangedAt: '2026-11-20T12:00:00Z',
    csp: 'AirCo',
    mode: 4,
    cycle: 1,
    intensity: 48,
    fan: 2,
    can: { edit: true, copy: true, resetLevel: true },
    ...part,
  };
}

export function deviceDetail(part: Partial<DeviceDetail> = {}): DeviceDetail {
  const { intensity } = device(part);
  return {
    ...device(),
    productName: 'Lobby',
    ssid: null,
    lanEnabled: true,
    lat: null,
    lng: null,
    roleLabels: [],
    lastSeenAt: '2026-11-20T12:00:00Z',
    lastHeardAt: null,
    applianceLife: null,
    cartridgeLife: null,
    pumpLife: null,
    clockMode: null,
    swVersion: null,
    lanIp: null,
    lastRefusal: null,
    faults: [],
    hostVersion: null,
    oemHostVersion: null,
    currentScheduleRunning: null,
    scheduleBlob: null,
    schedule: Array.from({ length: 21 }, (_, place) => missingFrame(place + 1)),
    shownIntensity: { value: intensity, schedule: null },
    commands: {},
    undoableReset: null,
    asOf: '2026-11-20T12:00:00Z',
    stale: false,
    ...part,
  };
}

export function deviceList(devices: DeviceView[], part: Partial<DeviceList> = {}): DeviceList {
  return {
    devices,
    total: devices.length,
    currentPageNumber: 1,
    asOf: new Date().toISOString(),
    statesAsOf: part.asOf ?? new Date().toISOString(),
    source: 'index',
    ...part,
  };
}
