import { expect } from '@playwright/test';
import type { Invitation, User, UserForm } from '../../web/src/api/schema.gen';
import type { People } from './people';

const GUEST = {
  role: 'OEM::ProlitecCommercial::CspTech',
  csp: 'Meridian Air',
  firstname: 'Gunnar',
  lastname: 'Guest',
  city: 'Oslo',
  country: 'Norway',
} as const;

export const GUEST_PASSWORD = 'Correct-Horse-1';

/** People that an administrator invites through the API for a test. */
export class Guests {
  constructor(private readonly people: People) {}

  /** An unconfirmed user, a technician by default. */
  async invite(email: string, changes: Partial<Invitation> = {}): Promise<User> {
    const api = await this.people.api('admin');
    const answer = await api.post('/api/users', { data: { ...GUEST, email, password: GUEST_PASSWORD, ...changes } });
    expect(answer.status(), await answer.text()).toBe(201);
    return (await api.get(`/api/users/${(await answer.json()).id}`)).json();
  }

  /** Confirms the address with the token of the mail. */
  async confirm(link: string): Promise<void> {
    const token = new URL(link).searchParams.get('token');
    const answer = await (await this.people.stranger()).post('/api/account/confirm', { data: { token } });
    expect(answer.status(), await answer.text()).toBe(204);
  }

  /** Saves the form of the person with these changes. */
  async change({ id }: User, changes: Partial<UserForm>): Promise<void> {
    const answer = await (await this.people.api('admin')).put(`/api/users/${id}`, { data: { ...GUEST, ...changes } });
    expect(answer.status(), await answer.text()).toBe(200);
  }
}
