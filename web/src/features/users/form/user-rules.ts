import { confirmationError, passwordError } from '@/form/password-rule';
import { textError } from '@/form/text-error';
import type { FieldErrors } from '@/form/useFields';
import { t } from '@/i18n/en';
import { isEmail } from '@/lib/email';
import { FIELDS, type Field, type UserValues } from './user-values';

const OPTIONAL: readonly Field[] = ['company', 'businessRole', 'phone', 'state'];
/** Not texts to be trimmed and measured. */
const PASSWORDS: readonly Field[] = ['password', 'passwordConfirmation'];

/** What depends on who fills in the form, and for whom. */
interface Asked {
  /** Somebody is invited; a person who is there keeps email and password. */
  isNew: boolean;
  /** The role is bound to a CSP, and whoever gives it chooses that. */
  csp: boolean;
}

/** Whether the field must be filled in. */
export function isRequired(field: Field): boolean {
  return !OPTIONAL.includes(field);
}

/** What the server would refuse for certain, in its words. It decides: this only spares a way to it. */
export function check(values: UserValues, asked: Asked): FieldErrors<Field> {
  const fields = FIELDS.filter((field) => !PASSWORDS.includes(field) && (field !== 'csp' || asked.csp));
  const texts = fields.map((field) => [field, textError(values[field], isRequired(field))] as const);
  const errors: FieldErrors<Field> = Object.fromEntries(texts.filter(([, error]) => error));
  return asked.isNew ? { ...accountErrors(values), ...errors } : errors;
}

/** What is asked only once: the account itself. */
function accountErrors({ email, password, passwordConfirmation }: UserValues): FieldErrors<Field> {
  const errors: [Field, string | undefined][] = [
    ['email', isEmail(email) ? undefined : t.userForm.noEmail],
    ['password', password === '' ? t.form.required : passwordError(password)],
    ['passwordConfirmation', confirmationError(password, passwordConfirmation)],
  ];
  return Object.fromEntries(errors.filter(([, error]) => error));
}
