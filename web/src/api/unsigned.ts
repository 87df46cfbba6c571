import { call } from './http';
import type {
  ConfirmAccountData,
  Confirmation,
  ForgottenPassword,
  NewPassword,
  RequestPasswordResetData,
  SetPasswordData,
} from './schema.gen';

/** What people do who cannot sign in. A session that they may have all the same plays no part in it. */
const ANYBODY = { renewSession: false };

export function requestPasswordReset(body: ForgottenPassword): Promise<void> {
  return call<void, RequestPasswordResetData>('POST', { url: '/api/password/reset', body }, ANYBODY);
}

export function setPassword(body: NewPassword): Promise<void> {
  return call<void, SetPasswordData>('POST', { url: '/api/password/set', body }, ANYBODY);
}

export function confirmAccount(body: Confirmation): Promise<void> {
  return call<void, ConfirmAccountData>('POST', { url: '/api/account/confirm', body }, ANYBODY);
}
