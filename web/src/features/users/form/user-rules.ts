import { isEmail } from '@/domain/email';
import { confirmationError, passwordError } from '@/form/password-rule';
import { textError } from '@/form/text-error';
import type { FieldErrors } from '@/form/useFields';
import { t } from '@/i18n/en';
import { FIELDS, type Field, type UserValues } from './user-values';

const OPTIONAL: readonly Field[] = ['company', 'businessRole', 'phone', 'state'];
/** Fields that are not trimmed or limited in length. */
const PASSWORDS: readonly Field[] = ['password', 'passwordConfirmation'];

/** The context of a form: which of its fields apply. */
interface FormContext {
  /** An invitation; existing users keep e-mail address and password. */
  isNew: boolean;
  /** The invited user chooses the first password. */
  ownPassword?: boolean;
  /** The role belongs to a CSP that the user of the form chooses. */
  csp: boolean;
}

/** Whether the field is required. */
export function isRequired(field: Field): boolean {
  return !OPTIONAL.includes(field);
}

/** The errors that the server would certainly return, in its words. The server decides; this saves a request. */
export function check(values: UserValues, context: FormContext): FieldErrors<Field> {
  const fields = FIELDS.filter((field) => !PASSWORDS.includes(field) && (field !== 'csp' || context.csp));
  const texts = fields.map((field) => [field, textError(values[field], isRequired(field))] as const);
  const errors: FieldErrors<Field> = Object.fromEntries(texts.filter(([, error]) => error));
  return context.isNew ? { ...accountErrors(values, context), ...errors } : errors;
}

/** Fields of the account itself, which only an invitation has. */
function accountErrors(
  { email, password, passwordConfirmation }: UserValues,
  { ownPassword = false }: FormContext,
): FieldErrors<Field> {
  const errors: [Field, string | undefined][] = [['email', isEmail(email) ? undefined : t.userForm.noEmail]];
  if (!ownPassword) {
    errors.push(
      ['password', password === '' ? t.form.required : passwordError(password)],
      ['passwordConfirmation', confirmationError(password, passwordConfirmation)],
    );
  }
  return Object.fromEntries(errors.filter(([, error]) => error));
}
