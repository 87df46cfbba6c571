import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { attentionCommentsQuery, updateAttention } from '@/api/attention';
import { fieldErrors, messageOf } from '@/api/errors';
import type { AttentionItem } from '@/api/schema.gen';
import { dateTime } from '@/browser/time';
import { instant } from '@/domain/instant';
import { LeaveGuard } from '@/form/LeaveGuard';
import { useRecordForm } from '@/form/useRecordForm';
import { t } from '@/i18n/en';
import { Dialog } from '@/ui/dialogs/Dialog';
import { Button, Group, Stack, Text, Textarea } from '@/ui/kit';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import classes from './Attention.module.css';
import { itemName, personText } from './attention-text';

/** The server accepts no more. */
const LONGEST = 1000;
const SHAPE = {
  fields: ['comment'] as const,
  labels: { comment: t.attention.commentLabel },
  isRequired: () => false,
};
const EMPTY = { comment: '' };

interface Props {
  /** The items to comment on; none while the dialog is closed. */
  items: readonly AttentionItem[];
  mayEdit: boolean;
  onClose: () => void;
}

/** The comments on an item, and a further one for one or several items. */
export function CommentsDialog({ items, mayEdit, onClose }: Props) {
  const [only] = items;
  const title = items.length === 1 && only ? itemName(only) : t.attention.commentTitle;
  return (
    <Dialog title={title} opened={items.length > 0} onClose={onClose}>
      <Stack gap="md">
        {items.length === 1 && only && <Comments id={only.id} />}
        {mayEdit && items.length > 0 && <CommentForm items={items} onSaved={onClose} />}
      </Stack>
    </Dialog>
  );
}

/** The comments on an item. */
export function Comments({ id }: { id: string }) {
  const { data, isError } = useQuery(attentionCommentsQuery(id));
  if (isError) return <Text size="sm">{t.attention.commentsFailed}</Text>;
  if (!data || data.length === 0) return null;
  return (
    <ul className={classes.comments}>
      {data.map(({ id, at, author, text }) => (
        <li key={id}>
          <p className={classes.text}>{text}</p>
          <p className={classes.soft}>{`${personText(author)} · ${dateTime(instant(at))}`}</p>
        </li>
      ))}
    </ul>
  );
}

function CommentForm({ items, onSaved }: { items: readonly AttentionItem[]; onSaved: () => void }) {
  const client = useQueryClient();
  const fields = useRecordForm({ shape: SHAPE, initial: () => EMPTY });
  const text = fields.values.comment;
  const save = useMutation({
    mutationFn: () => updateAttention(client, { ids: items.map(({ id }) => id), comment: text.trim() }),
    onSuccess: () => alertSuccess(t.attention.updated(items.length)),
    onError: (error) => alertFailure(t.attention.updateFailed(messageOf(error)), t.attention.updated(items.length)),
  });
  const tooLong = [...text.trim()].length > LONGEST ? t.attention.commentTooLong(LONGEST) : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Skipped after the form unmounts, so a late save does not close the next dialog.
    fields.submitAll();
    save.mutate(undefined, { onSuccess: () => fields.saved(EMPTY) && onSaved() });
  };
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">
        <Textarea
          label={t.attention.commentLabel}
          description={t.attention.commentHint(items.length)}
          value={text}
          onChange={({ currentTarget }) => fields.set('comment', currentTarget.value)}
          error={tooLong ?? fieldErrors(save.error).comment}
          minRows={3}
          autosize
          data-autofocus
        />
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending} disabled={text.trim() === '' || tooLong !== undefined}>
            {t.attention.comment}
          </Button>
        </Group>
      </Stack>
      <LeaveGuard active={text.trim() !== ''} />
    </form>
  );
}
