import { hasNoAnswer, isCode } from '@/api/errors';
import { t } from '@/i18n/en';

/** The specified text of a failure, and what a person can do about it: the server gave no answer, or sign-in rests. */
export function failureText(text: string, error: unknown): React.ReactNode {
  const line = hasNoAnswer(error) ? t.auth.notSent : isCode(error, 'sign_in_rests') ? t.auth.rests : undefined;
  if (!line) return text;
  return (
    <>
      {text} <br />
      {line}
    </>
  );
}
