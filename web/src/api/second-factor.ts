import { queryOptions } from '@tanstack/react-query';
import { call } from './http';
import type { FactorProof, NewPasskey, NewTotp, PasskeyCreation, PasskeyRequest } from './schema.gen';

export const secondFactorQuery = queryOptions({
  queryKey: ['account', 'second-factor'],
  queryFn: ({ signal }) => call('GET /api/account/second-factor', { signal }),
});

/** Begins to set up an authenticator app, which counts once it is confirmed. */
export function beginTotp(body: FactorProof): Promise<NewTotp> {
  return call('POST /api/account/second-factor/totp', { body });
}

/** Adds the app that is being set up, and returns new recovery codes if there were none. */
export async function confirmTotp(code: string): Promise<string[]> {
  return (await call('PUT /api/account/second-factor/totp', { body: { code } })).codes;
}

export function removeTotp(body: FactorProof): Promise<void> {
  return call('POST /api/account/second-factor/totp/removal', { body });
}

/** Begins to add a passkey, and returns the options for the browser. */
export async function beginPasskey(body: FactorProof): Promise<PasskeyCreation['options']> {
  return (await call('POST /api/account/second-factor/passkeys', { body })).options;
}

/** Adds the passkey that the browser has created, and returns new recovery codes if there were none. */
export async function addPasskey(body: NewPasskey): Promise<string[]> {
  return (await call('PUT /api/account/second-factor/passkeys', { body })).codes;
}

/** Begins to ask for a passkey as a proof, and returns the options for the browser. */
export async function beginPasskeyProof(): Promise<PasskeyRequest['options']> {
  return (await call('POST /api/account/second-factor/passkeys/proof')).options;
}

export function renamePasskey(id: string, name: string): Promise<void> {
  return call('PUT /api/account/second-factor/passkeys/{id}', { path: { id }, body: { name } });
}

export function removePasskey(id: string, body: FactorProof): Promise<void> {
  return call('POST /api/account/second-factor/passkeys/{id}/removal', { path: { id }, body });
}

export async function createRecoveryCodes(body: FactorProof): Promise<string[]> {
  return (await call('POST /api/account/second-factor/recovery-codes', { body })).codes;
}
