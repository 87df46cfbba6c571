import { t } from '@/i18n/en';

const LONGEST = 255;
const CONTROL = /\p{Cc}/u;

/** The error that the server would return for the text of a field; undefined if the text is valid. */
export function textError(text: string, isRequired: boolean): string | undefined {
  if (text.trim() === '') return isRequired ? t.form.required : undefined;
  if ([...text.trim()].length > LONGEST) return t.form.tooLong(LONGEST);
  if (CONTROL.test(text.trim())) return t.form.oneLine;
  return undefined;
}
