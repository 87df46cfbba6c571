import { IconX } from '@tabler/icons-react';
import { t } from '@/i18n/en';
import { Button, Group } from '@/ui/kit';
import classes from './FilterChips.module.css';

interface Props<Name extends string> {
  chips: readonly { name: Name; label: string; value: string }[];
  onRemove: (name: Name) => void;
  onClear: () => void;
}

/** The active filters of a list; each can be removed. */
export function FilterChips<Name extends string>({ chips, onRemove, onClear }: Props<Name>) {
  return (
    <Group className={classes.chips} gap={8} role="group" aria-label={t.list.activeFilters}>
      {chips.map(({ name, label, value }) => (
        <button
          key={name}
          type="button"
          className={classes.chip}
          aria-label={t.list.removeFilter(label, value)}
          onClick={({ currentTarget: { nextElementSibling } }) => {
            // The chip that takes its place gets the focus, which would be lost otherwise.
            if (nextElementSibling instanceof HTMLElement) nextElementSibling.focus();
            onRemove(name);
          }}
        >
          <span className={classes.label}>{label}</span>
          <span className={classes.value}>{value}</span>
          <IconX size={14} aria-hidden="true" />
        </button>
      ))}
      <Button size="compact-sm" variant="subtle" onClick={onClear}>
        {t.list.clearFilters}
      </Button>
    </Group>
  );
}
