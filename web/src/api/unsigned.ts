import { call } from './http';
import type { Confirmation, EmailChangeCancellation, ForgottenPassword, NewPassword } from './schema.gen';

/** Calls for users who cannot sign in. They ignore an existing session. */
const ANYBODY = { renewSession: false };

export function requestPasswordReset(body: ForgottenPassword): Promise<void> {
  return call('POST /api/password/reset', { body, ...ANYBODY });
}

export function setPassword(body: NewPassword): Promise<void> {
  return call('POST /api/password/set', { body, ...ANYBODY });
}

export function confirmAccount(body: Confirmation): Promise<void> {
  return call('POST /api/account/confirm', { body, ...ANYBODY });
}

export function cancelEmailChange(body: EmailChangeCancellation): Promise<void> {
  return call('POST /api/account/email/cancel', { body, ...ANYBODY });
}
