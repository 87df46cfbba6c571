import type { Invitation, User, UserForm } from '@/api/schema.gen';
import type { Values } from '@/form/useFields';

/** The fields of the form in order, by their API names, so that field errors can be assigned. */
export const FIELDS = [
  'email',
  'role',
  'csp',
  'firstname',
  'lastname',
  'company',
  'businessRole',
  'phone',
  'city',
  'state',
  'country',
  'password',
  'passwordConfirmation',
] as const;

/** The fields that may not be stored in a draft. */
export const SECRET = ['password', 'passwordConfirmation'] as const;

export type Field = (typeof FIELDS)[number];

export type UserValues = Values<Field>;

const EMPTY = Object.fromEntries(FIELDS.map((field) => [field, ''])) as UserValues;

/** An empty form with the least privileged role, which is the last one. */
export function newUserValues(roleChoices: readonly { role: string }[]): UserValues {
  return { ...EMPTY, role: roleChoices.at(-1)?.role ?? '' };
}

export function valuesOf(user: User): UserValues {
  const known = FIELDS.map((field) => [field, (field in user && user[field as keyof User]) || '']);
  return Object.fromEntries(known) as UserValues;
}

/** The request body with these fields. */
export function toUserForm({
  email: _,
  password: __,
  passwordConfirmation: ___,
  ...form
}: Partial<UserValues>): UserForm {
  return form;
}

/** With `ownPassword`, the invited user chooses the first password. */
export function toInvitation(values: UserValues, ownPassword = false): Invitation {
  const form = { ...toUserForm(values), email: values.email };
  return ownPassword ? { ...form, ownPassword } : { ...form, password: values.password };
}
