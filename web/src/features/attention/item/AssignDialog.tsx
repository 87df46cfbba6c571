import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { attentionAssigneesQuery } from '@/api/attention';
import type { AttentionItem } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { Dialog } from '@/ui/dialogs/Dialog';
import { Button, Group, Select, Stack, Text } from '@/ui/kit';

const NOBODY = 'nobody';

interface Props {
  items: readonly AttentionItem[];
  isSaving: boolean;
  /** Null for nobody. */
  onAssign: (assignee: string | null) => void;
  onClose: () => void;
}

/** Assigns items to a person of their CSP. */
export function AssignDialog({ opened, ...props }: Props & { opened: boolean }) {
  return (
    <Dialog title={t.attention.assignTitle} opened={opened} onClose={props.onClose}>
      <AssignForm {...props} />
    </Dialog>
  );
}

function AssignForm({ items, isSaving, onAssign, onClose }: Props) {
  const csps = new Set(items.map(({ csp }) => csp));
  const [csp] = csps;
  const people = useQuery({ ...attentionAssigneesQuery(csp ?? undefined), enabled: csps.size === 1 });
  const [chosen, choose] = useState<string | null>(null);
  const choices = people.data?.map(({ id, name }) => ({ value: id, label: name })) ?? [];
  return (
    <Stack gap="md">
      {csps.size > 1 ? (
        <Text size="sm">{t.attention.severalCsps}</Text>
      ) : (
        <Select
          label={t.attention.assignTo}
          data={[{ value: NOBODY, label: t.attention.assignNobody }, ...choices]}
          value={chosen}
          onChange={choose}
          error={people.isError && t.attention.assigneesFailed}
          searchable
          data-autofocus
        />
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t.common.cancel}
        </Button>
        <Button
          loading={isSaving}
          disabled={chosen === null || csps.size > 1}
          onClick={() => onAssign(chosen === NOBODY ? null : chosen)}
        >
          {t.attention.assign}
        </Button>
      </Group>
    </Stack>
  );
}
