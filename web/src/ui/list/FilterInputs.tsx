import { t } from '@/i18n/en';
import { selectText } from '@/ui/fields/select-text';
import { Select, TextInput } from '@/ui/kit';
import type { FilterChoice, FilterInputProps } from './filter-field';

export function TextFilterInput({ label, value, onChange, autoFocus }: FilterInputProps) {
  return (
    <TextInput
      label={label}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data-autofocus={autoFocus || undefined}
      autoComplete="off"
      spellCheck={false}
    />
  );
}

export function DateFilterInput({ label, value, onChange }: FilterInputProps) {
  return (
    <TextInput
      label={label}
      type="date"
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
    />
  );
}

interface ChoiceProps extends Omit<FilterInputProps, 'autoFocus' | 'filters'> {
  choices: readonly FilterChoice[];
  /** Set if there are too many choices to browse. */
  searchable?: boolean;
  /** Shown if no choice matches or the choices are loading. */
  nothing?: string;
  error?: string | undefined;
}

export function ChoiceFilterInput({
  label,
  value,
  onChange,
  choices,
  searchable = false,
  nothing,
  error,
}: ChoiceProps) {
  const isKnown = choices.some((choice) => (typeof choice === 'string' ? choice : choice.value) === value);
  return (
    <Select
      label={label}
      placeholder={t.list.any}
      // A link can contain a value that is not a choice.
      data={value && !isKnown ? [...choices, value] : choices}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      clearable
      searchable={searchable}
      {...(searchable && selectText)}
      nothingFoundMessage={nothing}
      error={error}
    />
  );
}

interface NamesProps extends FilterInputProps {
  /** Undefined while loading. */
  names: readonly string[] | undefined;
  error: string | undefined;
}

/** A choice between names from the server. */
export function NamesFilterInput({ names, error, ...props }: NamesProps) {
  const nothing = names || error !== undefined ? t.list.empty : t.list.loading;
  return <ChoiceFilterInput {...props} choices={names ?? []} searchable nothing={nothing} error={error} />;
}
