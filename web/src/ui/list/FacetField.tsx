import { Combobox, type ComboboxProps, Loader, TextInput, useCombobox } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { numberText } from '@/domain/number-text';
import { t } from '@/i18n/en';
import { selectText } from '@/ui/fields/select-text';
import classes from './FacetField.module.css';

export interface FacetOption {
  /** The text of the filter. */
  filter: string;
  label: string;
  /** The number of rows; undefined if it is not known. */
  count?: number | undefined;
}

interface Props {
  label: string;
  placeholder?: string;
  /** The text in the field. */
  text: string;
  /** A word behind the text. */
  mark?: string | undefined;
  /** Typing replaces the text. */
  selectsText?: boolean;
  options: readonly FacetOption[];
  /** The filter of the chosen option. */
  chosen: string | undefined;
  onText: (text: string) => void;
  onChoose: (filter: string) => void;
  /** Undefined if there is nothing to clear. */
  onClear: (() => void) | undefined;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  /** The menu has something to show. Until then it stays closed, because its height decides on which side of the field it opens. */
  isRead: boolean;
  /** Other options are being read. */
  busy: boolean;
  /** A line below the options. */
  notice?: string | undefined;
  /** Reads further options; undefined if there are none. */
  more: { isLoading: boolean; load: () => void } | undefined;
  autoFocus: boolean;
}

/** The menu is no higher than the room on its side of the field. */
const MIDDLEWARES: ComboboxProps['middlewares'] = {
  size: {
    padding: 8,
    apply: ({ availableHeight, elements }) => {
      elements.floating.style.setProperty('--room', `${availableHeight}px`);
    },
  },
};

/** The option that reads further ones. No filter is empty. */
const MORE = '';

/** A text field with a menu of values, each with its number of rows. The options come from the caller, who also searches them. */
export function FacetField({ label, placeholder, text, mark, selectsText = false, isOpen, onOpen, ...props }: Props) {
  const { options, more, onText, onChoose, onClear } = props;
  const listId = useId();
  const isShown = isOpen && props.isRead;
  const store = useCombobox({ opened: isShown, onOpenedChange: onOpen });
  /** The option that Enter chooses. */
  const [active, setActive] = useState<string>();
  /** The number of options before further ones were requested. */
  const [before, setBefore] = useState<number>();
  const filters = [...options.map(({ filter }) => filter), ...(more ? [MORE] : [])];
  const place = active === undefined ? -1 : filters.indexOf(active);
  const activeId = isShown && place >= 0 ? `${listId}-${place}` : undefined;
  const firstNew = before === undefined ? undefined : options[before];
  if (firstNew) {
    setBefore(undefined);
    setActive(firstNew.filter);
  }
  useEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' });
  }, [activeId]);
  const open = (isOpen: boolean) => {
    setActive(undefined);
    setBefore(undefined);
    onOpen(isOpen);
  };
  const choose = (filter: string) => {
    if (filter !== MORE) {
      onChoose(filter);
      open(false);
    } else if (more && !more.isLoading) {
      setBefore(options.length);
      more.load();
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // The key belongs to the input method.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      if (!isOpen) open(true);
      // An arrow without an active option begins at the nearest end.
      else setActive(filters.at(place < 0 && step < 0 ? -1 : (place + step) % filters.length));
    } else if (event.key === 'Enter' && isShown && place >= 0) {
      event.preventDefault();
      choose(filters[place] as string);
    } else if (event.key === 'Escape' && isOpen) open(false);
  };
  const hasList = isShown && filters.length > 0;
  return (
    <Combobox store={store} onOptionSubmit={choose} keepMounted={false} middlewares={MIDDLEWARES}>
      <Combobox.DropdownTarget>
        <TextInput
          label={label}
          placeholder={placeholder}
          value={text}
          {...(selectsText && selectText)}
          onChange={({ currentTarget }) => {
            onText(currentTarget.value);
            open(true);
          }}
          onClick={(event) => {
            if (selectsText) selectText.onClick(event);
            onOpen(true);
          }}
          onKeyDown={onKeyDown}
          onBlur={() => open(false)}
          rightSection={<End mark={mark} isLoading={isOpen && !props.isRead} onClear={onClear} />}
          rightSectionWidth={mark === undefined ? undefined : 'auto'}
          rightSectionPointerEvents={onClear ? 'all' : 'none'}
          role="combobox"
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-expanded={hasList}
          aria-controls={hasList ? listId : undefined}
          aria-activedescendant={activeId}
          aria-description={mark}
          // Escape closes the menu and not the dialog.
          data-mantine-stop-propagation={isOpen || undefined}
          data-autofocus={props.autoFocus || undefined}
          autoComplete="off"
          spellCheck={false}
        />
      </Combobox.DropdownTarget>
      <Combobox.Dropdown>
        {hasList && (
          <Combobox.Options
            id={listId}
            className={classes.options}
            aria-label={t.facets.valuesOf(label)}
            aria-busy={props.busy}
          >
            {options.map(({ filter, label, count }, index) => (
              <Combobox.Option
                key={filter}
                id={`${listId}-${index}`}
                value={filter}
                className={classes.option}
                selected={index === place}
                active={filter === props.chosen}
                aria-selected={filter === props.chosen}
                data-none={count === 0 || undefined}
              >
                <span className={classes.value}>{label}</span>{' '}
                {count !== undefined && <span className={classes.count}>{numberText(count)}</span>}
              </Combobox.Option>
            ))}
            {more && (
              <Combobox.Option
                id={`${listId}-${options.length}`}
                value={MORE}
                className={classes.option}
                selected={place === options.length}
                aria-selected={false}
              >
                <span className={classes.more}>{more.isLoading ? t.list.loading : t.facets.more}</span>
              </Combobox.Option>
            )}
          </Combobox.Options>
        )}
        <div role="status" className={classes.notice}>
          {props.notice ?? (hasList || props.busy ? undefined : t.list.empty)}
        </div>
      </Combobox.Dropdown>
    </Combobox>
  );
}

/** What is behind the text. */
function End({ mark, isLoading, onClear }: Pick<Props, 'mark' | 'onClear'> & { isLoading: boolean }) {
  if (isLoading) return <Loader size={16} aria-hidden="true" />;
  if (!onClear) return <Combobox.Chevron />;
  return (
    <>
      {mark !== undefined && (
        <span className={classes.mark} aria-hidden="true">
          {mark}
        </span>
      )}
      <Combobox.ClearButton onClear={onClear} />
    </>
  );
}
