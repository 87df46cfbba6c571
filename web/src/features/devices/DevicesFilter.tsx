import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { t } from '@/i18n/en';
import { oneOf, textFilter } from '@/lib/search-state';
import { Button, Group, Select, TextInput, useDebouncedCallback } from '@/ui/kit';
import classes from './DevicesFilter.module.css';
import { type DevicesSearch, hasFilter, STATUSES } from './devices-search';

const TYPING_MS = 300;

interface Props {
  search: DevicesSearch;
  onChange: (part: Partial<DevicesSearch>, replace?: boolean) => void;
}

export function DevicesFilter({ search, onChange }: Props) {
  return (
    <Group component="search" gap="sm" aria-label={t.devices.filters}>
      <DsnFilter value={search.dsn ?? ''} onChange={(dsn) => onChange({ dsn }, true)} />
      <Select
        className={classes.status}
        aria-label={t.devices.status}
        placeholder={t.devices.anyStatus}
        data={STATUSES}
        value={search.connectionstatus ?? null}
        onChange={(value) => onChange({ connectionstatus: oneOf(STATUSES, value) })}
        clearable
      />
      {hasFilter(search) && (
        <Button
          className={classes.clear}
          variant="subtle"
          onClick={() => onChange({ connectionstatus: undefined, dsn: undefined })}
        >
          {t.list.clearFilters}
        </Button>
      )}
    </Group>
  );
}

interface DsnFilterProps {
  value: string;
  onChange: (dsn: string | undefined) => void;
}

/** Follows the URL, except for what is being typed. */
function DsnFilter({ value, onChange }: DsnFilterProps) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  const announce = useDebouncedCallback((typed: string) => onChange(textFilter(typed)), TYPING_MS);
  if (value !== shown) {
    setShown(value);
    if ((textFilter(text) ?? '') !== value) setText(value);
  }
  return (
    <TextInput
      className={classes.dsn}
      type="search"
      aria-label={t.devices.dsnFilter}
      placeholder={t.devices.dsnFilter}
      title={t.devices.dsnFilterHint}
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
