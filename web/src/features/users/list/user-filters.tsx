import type { RoleName } from '@/api/schema.gen';
import { CspFilterInput } from '@/form/CspFilterInput';
import { t } from '@/i18n/en';
import { Select } from '@/ui/kit';
import { ChoiceFilterInput, TextFilterInput } from '@/ui/list/FilterInputs';
import type { FilterField } from '@/ui/list/filter-field';
import { FLAG, type UserFilter, usersList } from './users-search';

interface Options {
  seesCsp: boolean;
  roles: readonly RoleName[];
}

/** The filters of A-38. The server ignores csp for users who see no CSPs. */
export function userFilterFields({ seesCsp, roles }: Options): FilterField[] {
  const special: Partial<Record<UserFilter, Omit<FilterField, 'name' | 'label'>>> = {
    csp: { Input: CspFilterInput },
    role: {
      Input: (props) => (
        <ChoiceFilterInput {...props} choices={roles.map(({ role, roleName }) => ({ value: role, label: roleName }))} />
      ),
      words: (value) => roles.find(({ role }) => role === value)?.roleName ?? value,
    },
    confirmed: {
      Input: (props) => <ChoiceFilterInput {...props} choices={YES_OR_NO} />,
      words: yesOrNo,
      titleWords: (value) => (value === 'true' ? t.users.columns.confirmed : t.users.notConfirmed),
    },
    twostep: {
      Input: (props) => <ChoiceFilterInput {...props} choices={TWO_STEP_CHOICES} />,
      words: twoStepWord,
      titleWords: (value) => (value === 'true' ? t.users.twoStepOn : t.users.twoStepOff),
    },
    disabled: {
      Input: (props) => <ChoiceFilterInput {...props} choices={YES_OR_NO} />,
      words: yesOrNo,
      titleWords: (value) => (value === 'true' ? t.users.disabled : t.users.notDisabled),
    },
  };
  return usersList.filterNames
    .filter((name) => name !== 'csp' || seesCsp)
    .map((name) => ({ name, label: t.users.columns[name], Input: TextFilterInput, ...special[name] }));
}

function yesOrNo(value: string): string {
  return value === 'true' ? t.users.yes : t.users.no;
}

const YES_OR_NO = FLAG.map((value) => ({ value, label: yesOrNo(value) }));

function twoStepWord(value: string): string {
  return value === 'true' ? t.users.on : t.users.off;
}

const TWO_STEP_CHOICES = FLAG.map((value) => ({ value, label: twoStepWord(value) }));

interface ConfirmedProps {
  value: string | undefined;
  onChange: (confirmed: string | undefined) => void;
}

/** A filter for unconfirmed users, where there is room outside the dialog. */
export function ConfirmedFilter({ value, onChange }: ConfirmedProps) {
  return (
    <Select
      w={200}
      aria-label={t.users.columns.confirmed}
      placeholder={t.users.anyConfirmed}
      data={YES_OR_NO}
      value={value ?? null}
      onChange={(confirmed) => onChange(confirmed ?? undefined)}
      clearable
    />
  );
}
