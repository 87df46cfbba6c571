import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import { type ReactNode, type Ref, useRef, useState } from 'react';
import { t } from '@/i18n/en';
import type { FilterValues } from '@/lib/list';
import { Button, Group } from '@/ui/kit';
import { useIsPhone } from '@/ui/useIsPhone';
import { FilterChips } from './FilterChips';
import { FilterDialog } from './FilterDialog';
import { activeFilters, type FilterField } from './filter-field';
import { SearchField, type SearchTexts } from './SearchField';

export interface FilterBarProps {
  fields: readonly FilterField[];
  filters: FilterValues;
  /** Omitted filters are unchanged; undefined removes a filter. */
  onChange: (filters: FilterValues, replace?: boolean) => void;
  /** The text filter with its own field. */
  search?: SearchTexts & { name: string };
  /** Further controls on a desktop. */
  atHand?: ReactNode;
  /** A line of filters that are set with one tap. */
  quick?: ReactNode;
  dialogTitle: string;
  /** How the filters match. */
  hint: string;
}

/** The most common filters, a button for the others, and the active filters. */
export function FilterBar({
  fields,
  filters,
  onChange,
  search,
  atHand,
  quick,
  dialogTitle,
  hint,
  searchField,
}: FilterBarProps & { searchField?: Ref<HTMLInputElement> }) {
  const isPhone = useIsPhone();
  const [opened, setOpened] = useState(false);
  const door = useRef<HTMLButtonElement>(null);
  const chips = activeFilters(fields, filters);
  const clear = () => onChange(Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])));
  return (
    <Group component="search" gap="sm" aria-label={t.list.filters}>
      {search && (
        <SearchField
          {...search}
          ref={searchField}
          value={filters[search.name]}
          onChange={(text) => onChange({ [search.name]: text }, true)}
        />
      )}
      {!isPhone && atHand}
      <Button
        ref={door}
        variant="default"
        leftSection={<IconAdjustmentsHorizontal size={18} aria-hidden="true" />}
        aria-haspopup="dialog"
        onClick={() => setOpened(true)}
      >
        {t.list.filter}
      </Button>
      {quick}
      {chips.length > 0 && (
        <FilterChips
          chips={chips}
          onRemove={(name) => {
            if (chips.length === 1) door.current?.focus();
            onChange({ [name]: undefined });
          }}
          onClear={() => {
            door.current?.focus();
            clear();
          }}
        />
      )}
      <FilterDialog
        title={dialogTitle}
        hint={hint}
        fields={fields}
        filters={filters}
        opened={opened}
        onApply={onChange}
        onClear={clear}
        onClose={() => setOpened(false)}
      />
    </Group>
  );
}
