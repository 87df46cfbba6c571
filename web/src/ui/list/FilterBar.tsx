import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import { type ReactNode, type Ref, useRef, useState } from 'react';
import type { FilterValues } from '@/domain/list';
import { t } from '@/i18n/en';
import { useIsHandheld } from '@/ui/hooks/useIsHandheld';
import { Button, Group } from '@/ui/kit';
import { FilterChips } from './FilterChips';
import { FilterDialog } from './FilterDialog';
import { activeFilters, type FilterField } from './filter-field';
import { IgnoredFilters } from './IgnoredFilters';
import classes from './List.module.css';
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
  /** The query string of the link that led to the page; its ignored filters are named. */
  link: string;
  /** The members of the page's query string besides the filters. */
  others?: readonly string[];
}

/** The most common filters, a button for the others, and the active filters. */
export function FilterBar({
  fields,
  filters,
  onChange: apply,
  search,
  atHand,
  quick,
  dialogTitle,
  hint,
  link,
  others = [],
  searchField,
}: FilterBarProps & { searchField?: Ref<HTMLInputElement> }) {
  const isHandheld = useIsHandheld();
  const [opened, setOpened] = useState(false);
  const door = useRef<HTMLButtonElement>(null);
  const chips = activeFilters(fields, filters);
  // A filter of the link that this person cannot remove goes with the first change.
  const notOffered = Object.keys(filters).filter((name) => !fields.some((field) => field.name === name));
  const onChange: FilterBarProps['onChange'] = (part, replace) =>
    apply({ ...Object.fromEntries(notOffered.map((name) => [name, undefined])), ...part }, replace);
  const clear = () => onChange(Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])));
  return (
    <>
      <Group component="search" className={classes.filters} gap="sm" aria-label={t.list.filters}>
        {search && (
          <SearchField
            {...search}
            ref={searchField}
            value={filters[search.name]}
            onChange={(text) => onChange({ [search.name]: text }, true)}
          />
        )}
        {!isHandheld && atHand}
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
      <IgnoredFilters link={link} fields={fields} filters={filters} others={others} />
    </>
  );
}
