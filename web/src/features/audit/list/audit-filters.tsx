import type { AuditOperation } from '@/api/schema.gen';
import { dayText } from '@/browser/days';
import { t } from '@/i18n/en';
import { ChoiceFilterInput, DateFilterInput, TextFilterInput } from '@/ui/list/FilterInputs';
import type { FilterField } from '@/ui/list/filter-field';
import { operationText } from '../entry/audit-text';
import { AUDIT_FILTERS } from './audit-search';

const OPERATIONS: Record<AuditOperation, string> = t.audit.operations;
const choices = Object.entries(OPERATIONS).map(([value, label]) => ({ value, label }));

const SPECIAL: Partial<Record<string, Pick<FilterField, 'Input' | 'words'>>> = {
  operation: { Input: (props) => <ChoiceFilterInput {...props} choices={choices} />, words: operationText },
  from: { Input: DateFilterInput, words: dayText },
  to: { Input: DateFilterInput, words: dayText },
};

export const auditFilterFields: readonly FilterField[] = AUDIT_FILTERS.map((name) => ({
  name,
  label: t.audit.filters[name],
  Input: TextFilterInput,
  ...SPECIAL[name],
}));
