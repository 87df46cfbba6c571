import { IconAdjustmentsHorizontal, IconSearch } from '@tabler/icons-react';
import { type Ref, useRef, useState } from 'react';
import { t } from '@/i18n/en';
import { filtersIn, oneOf, textFilter } from '@/lib/search-state';
import { SYSTEM_CONFIGURATIONS } from '@/lib/system-configurations';
import { Button, Group, Select, TextInput, useDebouncedCallback } from '@/ui/kit';
import { FilterChips } from '@/ui/list/FilterChips';
import { useIsPhone } from '@/ui/useIsPhone';
import classes from './DevicesFilter.module.css';
import { type DeviceFilter, type DevicesSearch, deviceFilters, STATUSES } from './devices-search';
import { FilterDialog } from './FilterDialog';
import { useDeviceFilters } from './useDeviceFilters';

const TYPING_MS = 300;

interface Props {
  search: DevicesSearch;
  onChange: (part: Partial<DevicesSearch>, replace?: boolean) => void;
  /** Where a search is typed. */
  searchField: Ref<HTMLInputElement>;
}

/** The two filters needed most, the door to the others, and all that are set. */
export function DevicesFilter({ search, onChange, searchField }: Props) {
  const isPhone = useIsPhone();
  const [opened, setOpened] = useState(false);
  const door = useRef<HTMLButtonElement>(null);
  const set = filtersIn(search, useDeviceFilters());
  const clear = () => onChange(deviceFilters({}));
  return (
    <Group component="search" gap="sm" aria-label={t.list.filters}>
      <DsnFilter ref={searchField} value={search.dsn ?? ''} onChange={(dsn) => onChange({ dsn }, true)} />
      {!isPhone && (
        <Select
          className={classes.status}
          aria-label={t.devices.columns.connectionstatus}
          placeholder={t.devices.anyStatus}
          data={STATUSES}
          value={search.connectionstatus ?? null}
          onChange={(value) => onChange({ connectionstatus: oneOf(STATUSES, value) })}
          clearable
        />
      )}
      <Button
        ref={door}
        variant="default"
        leftSection={<IconAdjustmentsHorizontal size={18} aria-hidden="true" />}
        aria-haspopup="dialog"
        onClick={() => setOpened(true)}
      >
        {t.list.filter}
      </Button>
      {set.length > 0 && (
        <FilterChips
          chips={set.map(([name, value]) => ({ name, label: t.devices.columns[name], value: shown(name, value) }))}
          onRemove={(name) => {
            if (set.length === 1) door.current?.focus();
            onChange({ [name]: undefined });
          }}
          onClear={() => {
            door.current?.focus();
            clear();
          }}
        />
      )}
      <FilterDialog
        filters={deviceFilters(search)}
        opened={opened}
        onApply={onChange}
        onClear={clear}
        onClose={() => setOpened(false)}
      />
    </Group>
  );
}

function shown(name: DeviceFilter, value: string): string {
  return (name === 'model' && SYSTEM_CONFIGURATIONS[value]) || value;
}

interface DsnFilterProps {
  ref: Ref<HTMLInputElement>;
  value: string;
  onChange: (dsn: string | undefined) => void;
}

/** Follows the URL, except for what is being typed. */
function DsnFilter({ ref, value, onChange }: DsnFilterProps) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  const announce = useDebouncedCallback((typed: string) => onChange(textFilter(typed)), TYPING_MS);
  if (value !== shown) {
    setShown(value);
    if ((textFilter(text) ?? '') !== value) setText(value);
  }
  return (
    <TextInput
      ref={ref}
      className={classes.dsn}
      type="search"
      aria-label={t.devices.dsnFilter}
      aria-keyshortcuts="/"
      placeholder={t.devices.dsnFilter}
      title={t.list.filterHint}
      leftSection={<IconSearch size={16} aria-hidden="true" />}
      autoCapitalize="characters"
      spellCheck={false}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        announce(currentTarget.value);
      }}
    />
  );
}
