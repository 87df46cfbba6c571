import { queryOptions } from '@tanstack/react-query';
import { call } from './http';
import type { NewTotp, PasswordAndCode } from './schema.gen';

export const secondFactorQuery = queryOptions({
  queryKey: ['account', 'second-factor'],
  queryFn: ({ signal }) => call('GET /api/account/second-factor', { signal }),
});

/** Begins to set up an authenticator app, which counts once it is confirmed. */
export function beginTotp(current: string): Promise<NewTotp> {
  return call('POST /api/account/second-factor/totp', { body: { current } });
}

/** Adds the app that is being set up, and returns the recovery codes. */
export async function confirmTotp(code: string): Promise<string[]> {
  return (await call('PUT /api/account/second-factor/totp', { body: { code } })).codes;
}

export function removeTotp(body: PasswordAndCode): Promise<void> {
  return call('POST /api/account/second-factor/totp/removal', { body });
}

export async function createRecoveryCodes(body: PasswordAndCode): Promise<string[]> {
  return (await call('POST /api/account/second-factor/recovery-codes', { body })).codes;
}
