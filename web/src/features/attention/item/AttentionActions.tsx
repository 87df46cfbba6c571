import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { updateAttention } from '@/api/attention';
import { messageOf } from '@/api/errors';
import type { AttentionItem, AttentionUpdate } from '@/api/schema.gen';
import { sessionQuery } from '@/api/session';
import { t } from '@/i18n/en';
import { Button, Group } from '@/ui/kit';
import type { Selection } from '@/ui/list/useSelection';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import { AssignDialog } from './AssignDialog';
import classes from './Attention.module.css';
import { itemName } from './attention-text';
import { SnoozeDialog } from './SnoozeDialog';
import type { LastUpdate } from './UpdatedNotice';
import { undoOf } from './undo-update';

/** The server accepts no more. */
const MOST_ITEMS = 100;

interface Props {
  items: readonly AttentionItem[];
  /** The selection that the items come from; undefined for the items of a place of their own. */
  chosen?: Selection;
  onComment: (items: readonly AttentionItem[]) => void;
  onUpdated: (last: LastUpdate) => void;
}

/** What can be done with items. */
export function AttentionActions({ items, chosen, onComment, onUpdated }: Props) {
  const client = useQueryClient();
  const session = useQuery(sessionQuery).data;
  const [dialog, setDialog] = useState<'assign' | 'snooze'>();
  const ids = items.map(({ id }) => id);
  const update = useMutation({
    mutationFn: async (update: AttentionUpdate & { ids: string[] }) => {
      const undo = undoOf(items, update, new Date());
      await updateAttention(client, update);
      return undo;
    },
    onSuccess: (undo, { ids }) => {
      setDialog(undefined);
      alertSuccess(t.attention.updated(ids.length));
      onUpdated({ count: ids.length, undo });
      // Keeps items that were selected during the update.
      chosen?.set(ids, false);
    },
    onError: (error, { ids }) =>
      alertFailure(t.attention.updateFailed(messageOf(error)), t.attention.updated(ids.length)),
  });
  const isAcknowledged = items.length > 0 && items.every(({ acknowledgedAt }) => acknowledgedAt !== null);
  const disabled = items.length === 0 || items.length > MOST_ITEMS || update.isPending;
  const button = { size: 'compact-sm', variant: 'default', disabled } as const;
  const me = session?.user.id ?? null;
  // Items are assigned to people of their CSP.
  const isMine = items.length > 0 && items.every(({ csp }) => csp === session?.csp);
  const isTaken = items.every(({ assignee }) => assignee?.id === me);
  const label = chosen ? t.attention.actions : t.attention.actionsFor(items.map(itemName).join(', '));
  return (
    <Group className={chosen ? classes.bar : classes.own} gap="8px 12px" role="group" aria-label={label}>
      <Button {...button} onClick={() => update.mutate({ ids, acknowledged: !isAcknowledged })}>
        {isAcknowledged ? t.attention.takeBack : t.attention.acknowledge}
      </Button>
      {me !== null && isMine && !isTaken && (
        <Button {...button} onClick={() => update.mutate({ ids, assignee: me })}>
          {t.attention.take}
        </Button>
      )}
      <Button {...button} aria-haspopup="dialog" onClick={() => setDialog('assign')}>
        {t.attention.assign}
      </Button>
      <Button {...button} aria-haspopup="dialog" onClick={() => setDialog('snooze')}>
        {t.attention.snooze}
      </Button>
      <Button {...button} aria-haspopup="dialog" onClick={() => onComment(items)}>
        {t.attention.comment}
      </Button>
      {chosen && items.length > 0 && (
        <>
          <span role="status">
            {items.length > MOST_ITEMS ? t.attention.atMost(MOST_ITEMS) : t.attention.selected(items.length)}
          </span>
          <Button size="compact-sm" variant="subtle" onClick={() => chosen.replace([])}>
            {t.list.clearSelection}
          </Button>
        </>
      )}
      <AssignDialog
        items={items}
        opened={dialog === 'assign'}
        isSaving={update.isPending}
        onAssign={(assignee) => update.mutate({ ids, assignee })}
        onClose={() => setDialog(undefined)}
      />
      <SnoozeDialog
        opened={dialog === 'snooze'}
        isSaving={update.isPending}
        onSnooze={(snoozedUntil) => update.mutate({ ids, snoozedUntil })}
        onClose={() => setDialog(undefined)}
      />
    </Group>
  );
}
