import { useQuery } from '@tanstack/react-query';
import { peopleWithItemsQuery } from '@/api/attention';
import type { AttentionAssignee } from '@/api/schema.gen';
import { CspFilterInput } from '@/form/CspFilterInput';
import { t } from '@/i18n/en';
import { ChoiceFilterInput, TextFilterInput } from '@/ui/list/FilterInputs';
import type { FilterField, FilterInputProps } from '@/ui/list/filter-field';
import { ATTENTION_FILTERS, type AttentionSearch } from './attention-search';

const choice = (labels: Record<string, string>): Pick<FilterField, 'Input' | 'words'> => {
  const choices = Object.entries(labels).map(([value, label]) => ({ value, label }));
  return {
    Input: (props) => <ChoiceFilterInput {...props} choices={choices} />,
    words: (value) => labels[value] ?? value,
  };
};

const SPECIAL: Partial<Record<keyof AttentionSearch, Pick<FilterField, 'Input' | 'words'>>> = {
  state: choice(t.attention.states),
  kind: choice(t.attention.kinds),
  severity: choice(t.attention.severities),
  assignee: { Input: AssigneeFilterInput },
  csp: { Input: CspFilterInput },
};

const fields: readonly FilterField[] = ATTENTION_FILTERS.map((name) => ({
  name,
  label: t.attention.filters[name],
  Input: TextFilterInput,
  ...SPECIAL[name],
}));
const search: FilterField = { name: 'search', label: t.attention.filters.search, isAtHand: true };

/** The filters; only people who see several CSPs filter by CSP. `people` are those who have items, as far as they are known. */
export function attentionFilterFields(
  hasCsps: boolean,
  people: readonly AttentionAssignee[] = [],
): readonly FilterField[] {
  const assignee = (value: string) =>
    t.attention.assignees[value] ?? people.find(({ id }) => id === value)?.name ?? t.attention.unknownPerson;
  const shown = fields.filter(({ name }) => hasCsps || name !== 'csp');
  return [search, ...shown.map((field) => (field.name === 'assignee' ? { ...field, words: assignee } : field))];
}

/** Me, nobody, and the people who have items. */
function AssigneeFilterInput(props: FilterInputProps) {
  const people = useQuery(peopleWithItemsQuery);
  const special = Object.entries(t.attention.assignees).map(([value, label]) => ({ value, label }));
  const choices = [...special, ...(people.data ?? []).map(({ id, name }) => ({ value: id, label: name }))];
  const error = people.isError ? t.attention.assigneesFailed : undefined;
  return <ChoiceFilterInput {...props} choices={choices} searchable nothing={t.list.empty} error={error} />;
}
