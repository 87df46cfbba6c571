import { useState } from 'react';
import { dayEnd, dayOf } from '@/browser/days';
import { t } from '@/i18n/en';
import { Dialog } from '@/ui/dialogs/Dialog';
import { useNow } from '@/ui/hooks/useNow';
import { Button, Group, Stack, TextInput } from '@/ui/kit';

const DAY_MS = 24 * 60 * 60 * 1000;
const LONGEST_DAYS = 365;

interface Props {
  isSaving: boolean;
  /** Null to end the snooze. */
  onSnooze: (until: string | null) => void;
  onClose: () => void;
}

/** Hides items until the end of a day in the browser's time zone. */
export function SnoozeDialog({ opened, ...props }: Props & { opened: boolean }) {
  return (
    <Dialog title={t.attention.snoozeTitle} opened={opened} onClose={props.onClose}>
      <SnoozeForm {...props} />
    </Dialog>
  );
}

function SnoozeForm({ isSaving, onSnooze, onClose }: Props) {
  const now = useNow();
  const day = (days: number) => dayOf(new Date(now.getTime() + days * DAY_MS));
  const [chosen, choose] = useState<string>();
  const value = chosen ?? day(1);
  const isValid = value >= day(0) && value < day(LONGEST_DAYS);
  return (
    <Stack gap="md">
      <TextInput
        label={t.attention.snoozeUntil}
        description={t.attention.snoozeHint}
        type="date"
        min={day(0)}
        max={day(LONGEST_DAYS - 1)}
        value={value}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        data-autofocus
      />
      <Group justify="flex-end">
        <Button variant="subtle" disabled={isSaving} onClick={() => onSnooze(null)}>
          {t.attention.endSnooze}
        </Button>
        <Button variant="default" onClick={onClose}>
          {t.common.cancel}
        </Button>
        <Button loading={isSaving} disabled={!isValid} onClick={() => onSnooze(dayEnd(value).toISOString())}>
          {t.attention.snooze}
        </Button>
      </Group>
    </Stack>
  );
}
