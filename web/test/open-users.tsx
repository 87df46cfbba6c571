import type { User, UserList } from '@/api/schema.gen';
import { type Call, fakeApi, ok, session } from './fake-api';
import { renderApp } from './render-app';

export function user(part: Partial<User> = {}): User {
  return {
    id: '7d1f0a52-0f8e-4b43-9a6e-5f0c6c1f8a01',
    email: 'jo@example.com',
    firstname: 'Jo',
    lastname: 'Moss',
    company: 'Harbor Hotels',
    businessRole: 'Night porter',
    phone: '+47 1234',
    city: 'Oslo',
    state: '',
    country: 'NO',
    confirmed: true,
    role: 'OEM::ProlitecCommercial::CspTech',
    roleName: 'CSP Technician',
    csp: 'AirCo',
    lastSignInAt: null,
    twoStep: false,
    disabled: false,
    can: { edit: true, resend: false, resetPassword: true, resetSecondFactor: false },
    ...part,
  };
}

export const unconfirmed = user({ confirmed: false, can: { ...user().can, resend: true } });

export function userList(users: User[], part: Partial<UserList> = {}): UserList {
  const roles = [
    { role: 'OEM::Admin', roleName: 'Admin' },
    { role: 'OEM::ProlitecCommercial::CspTech', roleName: 'CSP Technician' },
  ];
  return { users, total: users.length, currentPageNumber: 1, asOf: new Date().toISOString(), roles, ...part };
}

interface Options {
  who?: typeof session;
  /** The response when the confirmation mail is sent again. */
  resend?: () => Response;
}

/** Opens the console at an address of the list of people, whose response is `answer`. */
export function openUsers(
  address: string,
  answer: (call: Call) => Response | Promise<Response>,
  { who = session, resend = () => new Response(null, { status: 204 }) }: Options = {},
) {
  const api = fakeApi({
    'GET /api/session': () => ok(who),
    'GET /api/users': answer,
    'GET /api/csps/all': () => ok([{ id: '1', name: 'AirCo' }]),
    [`POST /api/users/${unconfirmed.id}/confirmation`]: resend,
  });
  return { api, ...renderApp(address) };
}
