import { t } from '@/i18n/en';
import { Select, TextInput } from '@/ui/kit';
import { selectText } from '@/ui/select-text';
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

interface ChoiceProps extends Omit<FilterInputProps, 'autoFocus'> {
  choices: readonly FilterChoice[];
  /** Set when there are too many to look through. */
  searchable?: boolean;
  /** Stands in for the choices when none matches, or none is there yet. */
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
      // A link may name one that is not among them.
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
  /** Undefined while they are on the way. */
  names: readonly string[] | undefined;
  error: string | undefined;
}

/** A choice among names that the server tells. */
export function NamesFilterInput({ names, error, ...props }: NamesProps) {
  const nothing = names || error !== undefined ? t.list.empty : t.list.loading;
  return <ChoiceFilterInput {...props} choices={names ?? []} searchable nothing={nothing} error={error} />;
}
