import { useMemo, useState } from 'react';
import { t } from '@/i18n/en';
import { type Choice, keeping } from '@/lib/choices';
import { ErrorLine } from '@/ui/ErrorLine';
import { foldedFilter } from '@/ui/foldedFilter';
import { Button, Select } from '@/ui/kit';
import { selectText } from '@/ui/select-text';
import type { Offer } from './offers';
import type { Fields } from './useFields';

interface Props<Field extends string> {
  fields: Fields<Field>;
  name: NoInfer<Field>;
  /** The same ones from one time to the next, as long as they are the same. */
  choices: readonly Choice[];
  /** What may stay though it is none of them. */
  stored?: string;
  /** There are too many to look through. */
  searchable?: boolean;
  /** There is nothing to choose, whatever there is. */
  disabled?: boolean;
  /** Stands there when there is nothing to choose. */
  none?: string;
  onChoose?: (value: string) => void;
  /** Set when the choices could not be read. */
  failure?: { text: string; retry: Offer<unknown>['retry'] };
}

export function SelectField<Field extends string>({
  fields,
  name,
  choices,
  stored = fields.start[name],
  searchable = false,
  disabled = false,
  none = '',
  onChoose = (value) => fields.set(name, value),
  failure,
}: Props<Field>) {
  const input = fields.input(name);
  const value = fields.values[name];
  // A closed list keeps its options on the page: hundreds that nobody sees would slow down every key that is hit.
  const [opened, setOpened] = useState(false);
  const data = useMemo(() => keeping(choices, stored, value), [choices, stored, value]);
  return (
    <div>
      <Select
        {...input}
        data={opened ? data : data.filter((choice) => choice.value === value)}
        value={value || null}
        onChange={(value) => onChoose(value ?? '')}
        required={input.required && !disabled}
        disabled={input.disabled || disabled || data.length === 0}
        placeholder={disabled || data.length === 0 ? none : ''}
        allowDeselect={false}
        clearable={!input.required}
        // Also for who has no mouse, and is not to lose the place when the button goes.
        onClear={() => fields.focus(name)}
        clearButtonProps={{ 'aria-label': t.form.clear(input.label), 'aria-hidden': false, tabIndex: 0 }}
        searchable={searchable}
        filter={foldedFilter}
        onFocus={(event) => {
          input.onFocus?.(event);
          if (searchable) selectText.onFocus(event);
        }}
        {...(searchable && { onClick: selectText.onClick })}
        nothingFoundMessage={t.form.noChoice}
        // Who is led here to correct something, or passes by with Tab, has not asked for the list yet.
        openOnFocus={false}
        checkIconPosition="right"
        onDropdownOpen={() => setOpened(true)}
        onDropdownClose={() => setOpened(false)}
      />
      {failure?.retry && (
        <ErrorLine mt={4}>
          {failure.text}
          <Button
            size="compact-sm"
            variant="subtle"
            loading={failure.retry.isUnderWay}
            onClick={failure.retry.now}
            disabled={input.disabled}
          >
            {t.common.retry}
          </Button>
        </ErrorLine>
      )}
    </div>
  );
}
