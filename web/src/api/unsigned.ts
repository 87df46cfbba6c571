import { call } from './http';
import type {
  Confirmation,
  EmailChangeCancellation,
  EmailConfirmation,
  ForgottenPassword,
  NewPassword,
} from './schema.gen';

/** Calls for users who cannot sign in. They ignore an existing session. */
const WITHOUT_SESSION = { renewSession: false };

export function requestPasswordReset(body: ForgottenPassword): Promise<void> {
  return call('POST /api/password/reset', { body, ...WITHOUT_SESSION });
}

export function setPassword(body: NewPassword): Promise<void> {
  return call('POST /api/password/set', { body, ...WITHOUT_SESSION });
}

export function confirmAccount(body: Confirmation): Promise<void> {
  return call('POST /api/account/confirm', { body, ...WITHOUT_SESSION });
}

/** Unlike the others, this uses an existing session of the account. */
export function confirmEmailChange(body: EmailConfirmation): Promise<void> {
  return call('POST /api/account/email/confirm', { body, ...WITHOUT_SESSION });
}

export function cancelEmailChange(body: EmailChangeCancellation): Promise<void> {
  return call('POST /api/account/email/cancel', { body, ...WITHOUT_SESSION });
}
