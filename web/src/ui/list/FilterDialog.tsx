import { useState } from 'react';
import { t } from '@/i18n/en';
import type { FilterValues } from '@/lib/list';
import { Dialog } from '@/ui/Dialog';
import { Button, Group, Text } from '@/ui/kit';
import { useIsPhone } from '@/ui/useIsPhone';
import classes from './FilterDialog.module.css';
import type { FilterField } from './filter-field';

interface Props {
  title: string;
  /** How the filters match. */
  hint: string;
  fields: readonly FilterField[];
  filters: FilterValues;
  opened: boolean;
  onApply: (filters: FilterValues) => void;
  onClear: () => void;
  onClose: () => void;
}

/** All filters of a list at once. */
export function FilterDialog({ title, opened, ...rest }: Props) {
  return (
    <Dialog title={title} opened={opened} onClose={rest.onClose}>
      <FilterForm {...rest} />
    </Dialog>
  );
}

function FilterForm({ hint, fields, filters, onApply, onClear, onClose }: Omit<Props, 'title' | 'opened'>) {
  const isPhone = useIsPhone();
  const [values, setValues] = useState(filters);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onApply(values);
        onClose();
      }}
    >
      <Text size="sm" c="dimmed" mb="md">
        {hint}
      </Text>
      <div className={classes.fields}>
        {fields.map(({ name, label, Input }, place) => (
          <Input
            key={name}
            label={label}
            value={values[name]}
            onChange={(value) => setValues((before) => ({ ...before, [name]: value }))}
            // On a phone the keyboard would cover the other fields.
            autoFocus={place === 0 && !isPhone}
          />
        ))}
      </div>
      <Group className={classes.actions} gap="sm">
        <Button
          className={classes.clear}
          variant="subtle"
          onClick={() => {
            onClear();
            onClose();
          }}
        >
          {t.list.clear}
        </Button>
        <Button variant="default" onClick={onClose}>
          {t.common.cancel}
        </Button>
        <Button type="submit">{t.list.apply}</Button>
      </Group>
    </form>
  );
}
