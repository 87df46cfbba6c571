import { useMutation, useQueryClient } from '@tanstack/react-query';
import { updateAttention } from '@/api/attention';
import { messageOf } from '@/api/errors';
import type { AttentionUpdate } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import { InfoNotice } from '@/ui/notices/Notice';

/** The last update of items, which can be undone. */
export interface LastUpdate {
  count: number;
  undo: AttentionUpdate[];
}

/** Says how many items were updated, and undoes it. */
export function UpdatedNotice({ last: { count, undo }, onDone }: { last: LastUpdate; onDone: () => void }) {
  const client = useQueryClient();
  const restore = useMutation({
    mutationFn: async () => {
      for (const update of undo) await updateAttention(client, update);
    },
    onSuccess: () => {
      alertSuccess(t.attention.undone(count));
      onDone();
    },
    onError: (error) => alertFailure(t.attention.updateFailed(messageOf(error)), t.attention.undone(count)),
  });
  const action = (
    <Button size="compact-md" variant="default" loading={restore.isPending} onClick={() => restore.mutate()}>
      {t.attention.undo}
    </Button>
  );
  return <InfoNotice text={t.attention.updated(count)} {...(undo.length > 0 && { action })} />;
}
