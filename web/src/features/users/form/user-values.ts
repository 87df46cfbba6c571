import type { Invitation, User, UserForm } from '@/api/schema.gen';
import type { Values } from '@/form/useFields';

/** The fields of the form, in their order. Their names are those of the server, which so finds them with its errors. */
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

export type Field = (typeof FIELDS)[number];

export type UserValues = Values<Field>;

const EMPTY = Object.fromEntries(FIELDS.map((field) => [field, ''])) as UserValues;

/** A form that nobody has filled in; with the least privileged of the roles, which is the last one. */
export function newUserValues(roleChoices: readonly { role: string }[]): UserValues {
  return { ...EMPTY, role: roleChoices.at(-1)?.role ?? '' };
}

export function valuesOf({ id: _, confirmed: __, can: ___, roleName: ____, role, csp, ...texts }: User): UserValues {
  return { ...EMPTY, ...texts, role: role ?? '', csp: csp ?? '' };
}

/** What may be kept in the tab: no password. */
export function draftOf(values: UserValues): UserValues {
  return { ...values, password: '', passwordConfirmation: '' };
}

/** These fields as they are sent. */
export function toUserForm({
  email: _,
  password: __,
  passwordConfirmation: ___,
  ...form
}: Partial<UserValues>): UserForm {
  return form;
}

export function toInvitation(values: UserValues): Invitation {
  return { ...toUserForm(values), email: values.email, password: values.password };
}
