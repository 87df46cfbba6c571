import { setTimeout } from 'node:timers/promises';
import type { APIRequest, APIRequestContext, APIResponse } from '@playwright/test';
import type { Account } from './sillage';

/** The demo's accounts: role, CSP, and their column in quality/permissions.tsv. */
const PEOPLE = {
  admin: { role: 'OEM::Admin', csp: null, column: 'OEM::Admin' },
  observer: { role: 'OEM::Observer', csp: null, column: 'OEM::Observer' },
  cspAdmin: { role: 'OEM::ProlitecCommercial::CspAdmin', csp: 'Meridian Air', column: 'CspAdmin' },
  cspObserver: { role: 'OEM::ProlitecCommercial::CspObserver', csp: 'Meridian Air', column: 'CspObserver' },
  cspTech: { role: 'OEM::ProlitecCommercial::CspTech', csp: 'Meridian Air', column: 'CspTech' },
  otherCspAdmin: { role: 'OEM::ProlitecCommercial::CspAdmin', csp: 'Northlight Scents', column: 'CspAdmin' },
  noRole: { role: null, csp: null, column: 'no_role' },
  endUser: { role: 'EndUser', csp: null, column: 'no_role' },
} as const;

export type Person = keyof typeof PEOPLE;
export const EVERYBODY = Object.keys(PEOPLE) as Person[];

/** The CSP a person is bound to. */
export function cspOf(person: Person): string | null {
  return PEOPLE[person].csp;
}

/** The person's column in quality/permissions.tsv. */
export function columnOf(person: Person | null): string {
  return person === null ? 'signed_out' : PEOPLE[person].column;
}

/** Sends a request again when its limit allows it: tests that share an account also share its passwords per minute. */
export async function afterLimit(send: () => Promise<APIResponse>): Promise<APIResponse> {
  for (;;) {
    const answer = await send();
    if (answer.status() !== 429) return answer;
    await setTimeout(1000 * Number(answer.headers()['retry-after']));
  }
}

/** The demo's accounts, with one session for each that tests share. */
export class People {
  private readonly sessions = new Map<Person, Promise<APIRequestContext>>();

  constructor(
    private readonly request: APIRequest,
    private readonly baseURL: string,
    private readonly accounts: Account[],
  ) {}

  account(person: Person): Account {
    const { role, csp } = PEOPLE[person];
    const account = this.accounts.find((one) => one.role === role && one.csp === csp);
    if (!account) throw new Error(`the demo has no account for ${person}`);
    return account;
  }

  /** The console API as this person, in the shared session. Do not sign it out. */
  api(person: Person): Promise<APIRequestContext> {
    const session = this.sessions.get(person) ?? this.signIn(person);
    this.sessions.set(person, session);
    return session;
  }

  /** The console API as this person, in a new session. */
  async signIn(person: Person): Promise<APIRequestContext> {
    const { email, password } = this.account(person);
    const api = await this.stranger();
    const answer = await afterLimit(() => api.post('/api/session', { data: { email, password } }));
    if (!answer.ok()) throw new Error(`signing in ${person} was answered with ${answer.status()}`);
    return api;
  }

  /** The console API without a session. */
  stranger(): Promise<APIRequestContext> {
    return this.request.newContext({ baseURL: this.baseURL });
  }

  async end(): Promise<void> {
    for (const session of this.sessions.values()) await (await session).dispose();
  }
}
