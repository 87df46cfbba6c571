import { hasNoAnswer, isCode } from '@/api/errors';
import { t } from '@/i18n/en';

/**
 * The specified text of a failure, and what a person can do about it: the server gave no answer, sign-in rests, or
 * the account is disabled.
 */
export function failureText(text: string, error: unknown): React.ReactNode {
  const line = remedy(error);
  if (!line) return text;
  return (
    <>
      <span>{text}</span> <br />
      <span>{line}</span>
    </>
  );
}

function remedy(error: unknown): string | undefined {
  if (hasNoAnswer(error)) return t.auth.notSent;
  if (isCode(error, 'sign_in_rests')) return t.auth.rests;
  return isCode(error, 'account_disabled') ? t.auth.disabled : undefined;
}
