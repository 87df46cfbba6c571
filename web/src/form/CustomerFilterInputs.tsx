import { useState } from 'react';
import { t } from '@/i18n/en';
import { selectText } from '@/ui/fields/select-text';
import { Select } from '@/ui/kit';
import type { FilterInputProps } from '@/ui/list/filter-field';
import { useCustomers } from './useCustomers';

/** Chooses one of the customers. */
export function CustomerChoiceInput({ label, value, onChange }: FilterInputProps) {
  const [text, setText] = useState(value ?? '');
  const { names, isAnswered, isError } = useCustomers(text);
  return (
    <Select
      label={label}
      placeholder={t.list.any}
      // A link can name any customer.
      data={value && !names.includes(value) ? [...names, value] : names}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      clearable
      searchable
      searchValue={text}
      onSearchChange={setText}
      filter={({ options }) => options}
      {...selectText}
      nothingFoundMessage={isAnswered ? t.list.empty : t.list.loading}
      error={isError ? t.fleet.noCustomers : undefined}
    />
  );
}
