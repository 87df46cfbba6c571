import type { User } from '@/api/schema.gen';
import { dateTime } from '@/browser/time';
import { t } from '@/i18n/en';

/** The user's name, or the email address of a user without one. */
export function nameOf({ firstname, lastname, email }: User): string {
  return [firstname, lastname].filter(Boolean).join(' ') || email;
}

/** When the user last signed in to this console. */
export function lastSignIn({ lastSignInAt }: User): string {
  return lastSignInAt === null ? t.users.neverSignedIn : t.users.signedIn(dateTime(new Date(lastSignInAt)));
}

export function twoStep(user: User): string {
  return user.twoStep ? t.users.twoStepOn : t.users.twoStepOff;
}
