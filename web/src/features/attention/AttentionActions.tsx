import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { updateAttention } from '@/api/attention';
import { messageOf } from '@/api/errors';
import type { AttentionItem, AttentionUpdate } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { alertFailure, alertSuccess } from '@/ui/alerts';
import { Button, Group } from '@/ui/kit';
import type { Selection } from '@/ui/list/useSelection';
import { AssignDialog } from './AssignDialog';
import classes from './Attention.module.css';
import { SnoozeDialog } from './SnoozeDialog';
import type { LastUpdate } from './UpdatedNotice';
import { undoOf } from './undo-update';

/** The server accepts no more. */
const MOST_ITEMS = 100;

interface Props {
  /** The selected items. */
  items: readonly AttentionItem[];
  chosen: Selection;
  onComment: (items: readonly AttentionItem[]) => void;
  onUpdated: (last: LastUpdate) => void;
}

/** What can be done with the selected items. */
export function AttentionActions({ items, chosen, onComment, onUpdated }: Props) {
  const client = useQueryClient();
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
      chosen.set(ids, false);
    },
    onError: (error, { ids }) =>
      alertFailure(t.attention.updateFailed(messageOf(error)), t.attention.updated(ids.length)),
  });
  const isAcknowledged = items.length > 0 && items.every(({ acknowledgedAt }) => acknowledgedAt !== null);
  const disabled = items.length === 0 || items.length > MOST_ITEMS || update.isPending;
  const button = { size: 'compact-sm', variant: 'default', disabled } as const;
  return (
    <Group className={classes.bar} gap="8px 12px" role="group" aria-label={t.attention.actions}>
      <Button {...button} onClick={() => update.mutate({ ids, acknowledged: !isAcknowledged })}>
        {isAcknowledged ? t.attention.takeBack : t.attention.acknowledge}
      </Button>
      <Button {...button} aria-haspopup="dialog" onClick={() => setDialog('assign')}>
        {t.attention.assign}
      </Button>
      <Button {...button} aria-haspopup="dialog" onClick={() => setDialog('snooze')}>
        {t.attention.snooze}
      </Button>
      <Button {...button} aria-haspopup="dialog" onClick={() => onComment(items)}>
        {t.attention.comment}
      </Button>
      {items.length > 0 && (
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
