import type { Profile, ProfileForm } from '@/api/schema.gen';
import { textError } from '@/form/text-error';
import type { FieldErrors, Values } from '@/form/useFields';

/** The fields of the form in order, by their API names. */
export const FIELDS = ['email', 'firstname', 'lastname', 'city', 'state', 'country'] as const;

export type Field = (typeof FIELDS)[number];

export type ProfileValues = Values<Field>;

/** Whether the field is required. */
export function isRequired(field: Field): boolean {
  return field !== 'state';
}

export function valuesOf(profile: Profile): ProfileValues {
  return Object.fromEntries(FIELDS.map((field) => [field, profile[field] ?? ''])) as ProfileValues;
}

/** The request body with these fields, without the e-mail address. */
export function toProfileForm({ email: _, ...fields }: Partial<ProfileValues>): ProfileForm {
  return fields;
}

/** The errors that the server would certainly return, in its words. */
export function check(values: ProfileValues): FieldErrors<Field> {
  const texts = FIELDS.map((field) => [field, textError(values[field], isRequired(field))] as const);
  return Object.fromEntries(texts.filter(([, error]) => error));
}
