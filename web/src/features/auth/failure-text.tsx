import { hasNoAnswer } from '@/api/errors';
import { t } from '@/i18n/en';

/** The specified text of a failure, and a line about the server if it gave no answer. */
export function failureText(text: string, error: unknown): React.ReactNode {
  if (!hasNoAnswer(error)) return text;
  return (
    <>
      {text} <br />
      {t.auth.notSent}
    </>
  );
}
