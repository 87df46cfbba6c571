import { useQuery } from '@tanstack/react-query';
import { assignedCountQuery, attentionAssigneesQuery } from '@/api/attention';
import type { User } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { selectText } from '@/ui/fields/select-text';
import { Select, Text } from '@/ui/kit';

interface Props {
  user: User;
  /** Null for nobody. */
  successor: string | null;
  onChoose: (successor: string | null) => void;
}

/** Names the open items of a user who is to be removed, and offers the people who can take them. */
export function OpenItems({ user: { id, csp }, successor, onChoose }: Props) {
  const count = useQuery(assignedCountQuery(id));
  const people = useQuery({ ...attentionAssigneesQuery(csp ?? undefined), enabled: Boolean(count.data) });
  if (count.isError) return <Text>{t.userForm.openItemsFailed}</Text>;
  if (!count.data) return null;
  const choices = people.data?.filter((person) => person.id !== id) ?? [];
  return (
    <Select
      mt="md"
      label={t.userForm.openItems(count.data)}
      description={t.userForm.openItemsHint}
      placeholder={t.userForm.nobody}
      data={choices.map((person) => ({ value: person.id, label: person.name }))}
      value={successor}
      onChange={onChoose}
      error={people.isError && t.attention.assigneesFailed}
      clearable
      searchable
      {...selectText}
    />
  );
}
