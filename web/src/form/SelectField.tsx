import { useMemo, useState } from 'react';
import { type Choice, keeping } from '@/domain/choices';
import { t } from '@/i18n/en';
import { foldedFilter } from '@/ui/fields/foldedFilter';
import { selectText } from '@/ui/fields/select-text';
import { Button, Select } from '@/ui/kit';
import { ErrorLine } from '@/ui/notices/ErrorLine';
import type { LoadedChoices } from './loaded-choices';
import type { Fields } from './useFields';

interface Props<Field extends string> {
  fields: Fields<Field>;
  name: NoInfer<Field>;
  /** Must be the same array between renders while the choices do not change. */
  choices: readonly Choice[];
  /** The stored value, which may be kept even if it is not a choice. */
  stored?: string;
  /** Set if there are too many choices to browse. */
  searchable?: boolean;
  /** Nothing can be chosen. */
  disabled?: boolean;
  /** Shown if there are no choices. */
  none?: string;
  onChoose?: (value: string) => void;
  /** Set when the choices could not be read. */
  failure?: { text: string; retry: LoadedChoices<unknown>['retry'] };
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
  // A closed list keeps its options in the page, and hundreds of invisible options would slow down every key press.
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
        // Keeps the focus when the clear button disappears.
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
        // The focus may come from Tab or from an error of the field, which must not open the list.
        openOnFocus={false}
        checkIconPosition="right"
        onDropdownOpen={() => setOpened(true)}
        onDropdownClose={() => setOpened(false)}
      />
      {failure?.retry && (
        <ErrorLine mt={4}>
          <span>{failure.text}</span>
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
