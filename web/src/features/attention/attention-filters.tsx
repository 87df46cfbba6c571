import { CspFilterInput } from '@/form/CspFilterInput';
import { t } from '@/i18n/en';
import { ChoiceFilterInput, TextFilterInput } from '@/ui/list/FilterInputs';
import type { FilterField } from '@/ui/list/filter-field';
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
  assignee: choice(t.attention.assignees),
  csp: { Input: CspFilterInput },
};

const fields: readonly FilterField[] = ATTENTION_FILTERS.map((name) => ({
  name,
  label: t.attention.filters[name],
  Input: TextFilterInput,
  ...SPECIAL[name],
}));
const search: FilterField = { name: 'search', label: t.attention.filters.search, isAtHand: true };

/** The filters; only people who see several CSPs filter by CSP. */
export function attentionFilterFields(hasCsps: boolean): readonly FilterField[] {
  return [search, ...fields.filter(({ name }) => hasCsps || name !== 'csp')];
}
