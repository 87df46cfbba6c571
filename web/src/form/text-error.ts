import { invisibleIn } from '@/domain/one-line';
import { t } from '@/i18n/en';

const LONGEST = 255;

/** The error that the server would return for the text of a field; undefined if the text is valid. */
export function textError(text: string, isRequired: boolean): string | undefined {
  if (text.trim() === '') return isRequired ? t.form.required : undefined;
  if ([...text.trim()].length > LONGEST) return t.form.tooLong(LONGEST);
  const invisible = invisibleIn(text.trim());
  if (invisible === undefined) return undefined;
  return invisible.isControl ? t.form.oneLine : t.form.invisible(invisible.position, invisible.code);
}
