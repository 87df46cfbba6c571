import { useRef, useState } from 'react';
import type { FilterValues } from '@/domain/list';
import { t } from '@/i18n/en';
import { useIsPhone } from '@/ui/hooks/useIsPhone';
import { useLateFocus } from '@/ui/hooks/useLateFocus';
import { Button, Group, Text } from '@/ui/kit';
import classes from './FilterForm.module.css';
import { ChoiceFilterInput, TextFilterInput } from './FilterInputs';
import type { FilterField, FilterInputProps } from './filter-field';

interface Props {
  /** How the filters match. */
  hint: string;
  fields: readonly FilterField[];
  filters: FilterValues;
  onApply: (filters: FilterValues) => void;
  onClear: () => void;
  onClose: () => void;
}

/** The fields of the filter dialog, loaded when it is opened. */
export default function FilterForm({ hint, fields, filters, onApply, onClear, onClose }: Props) {
  const isPhone = useIsPhone();
  const [values, setValues] = useState(filters);
  const first = useRef<HTMLElement>(null);
  useLateFocus(first);
  return (
    <form
      ref={(form) => {
        first.current = form?.querySelector<HTMLElement>('[data-autofocus]') ?? null;
      }}
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
        {fields
          .filter(({ isAtHand }) => !isAtHand)
          .map((field, place) => (
            <FieldInput
              key={field.name}
              field={field}
              label={field.label}
              value={values[field.name]}
              filters={values}
              onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
              // On a phone the on-screen keyboard would cover the other fields.
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

function FieldInput({
  field: { choices, renderInput, Input = TextFilterInput },
  ...props
}: FilterInputProps & { field: FilterField }) {
  if (renderInput) return renderInput(props);
  return choices ? <ChoiceFilterInput {...props} choices={choices} /> : <Input {...props} />;
}
