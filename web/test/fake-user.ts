import type { User } from '@/api/schema.gen';

export const ID = '5f0c9a52-7a3e-4d0b-9a43-2a4f1f1f0c11';

const MAY_ALL = { edit: true, resend: true, resetPassword: true, resetSecondFactor: false };

/** A technician, as seen by an administrator. */
export function person(part: Partial<User> = {}): User {
  return {
    id: ID,
    email: 'jo@example.com',
    firstname: 'Jo',
    lastname: 'Moss',
    company: 'Aurora',
    businessRole: '',
    phone: '',
    city: 'Oslo',
    state: '',
    country: 'Norway',
    confirmed: false,
    role: 'OEM::ProlitecCommercial::CspTech',
    roleName: 'CSP Technician',
    csp: 'AirCo',
    lastSignInAt: null,
    twoStep: false,
    disabled: false,
    can: MAY_ALL,
    ...part,
  };
}
