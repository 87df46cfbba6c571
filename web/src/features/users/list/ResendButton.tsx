import { useMutation, useQueryClient } from '@tanstack/react-query';
import { isStatus, messageOf } from '@/api/errors';
import type { User } from '@/api/schema.gen';
import { rereadUserLists, resendConfirmation } from '@/api/users';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';

/** Sends the confirmation mail again. */
export function ResendButton({ user }: { user: User }) {
  const client = useQueryClient();
  const resend = useMutation({
    mutationFn: () => resendConfirmation(user.id),
    onSuccess: () => alertSuccess(t.users.resent),
    onError: (error) => {
      // The specified text is the reason of a 409.
      alertFailure(t.users.resendFailed, t.users.resent, isStatus(error, 409) ? undefined : messageOf(error));
      // The user may have confirmed meanwhile, which the list shows.
      void rereadUserLists(client);
    },
  });
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={t.users.resendTo(user.email)}
      loading={resend.isPending}
      onClick={() => resend.mutate()}
    >
      {t.users.resend}
    </Button>
  );
}
