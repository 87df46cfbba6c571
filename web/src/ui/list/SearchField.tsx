import { IconSearch, IconX } from '@tabler/icons-react';
import { type Ref, useId, useState } from 'react';
import { textFilter } from '@/domain/search-state';
import { t } from '@/i18n/en';
import { useShortcuts } from '@/ui/dialogs/shortcuts';
import { ActionIcon, TextInput, useDebouncedCallback } from '@/ui/kit';
import classes from './SearchField.module.css';

const TYPING_MS = 300;

export interface SearchTexts {
  label: string;
  /** An example of a search; the label if omitted. */
  placeholder?: string;
  /** The searched fields; how text filters match if omitted. */
  hint?: string;
}

interface Props extends SearchTexts {
  ref?: Ref<HTMLInputElement> | undefined;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** The most common text filter, applied while the user types. It follows the URL except while typing. */
export function SearchField({
  ref,
  label,
  placeholder = label,
  hint = t.list.filterHint,
  value = '',
  onChange,
}: Props) {
  const id = useId();
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  const [shortcuts] = useShortcuts();
  const announce = useDebouncedCallback((typed: string) => onChange(textFilter(typed)), TYPING_MS);
  if (value !== shown) {
    setShown(value);
    if ((textFilter(text) ?? '') !== value) setText(value);
  }
  const clear = () => {
    announce.cancel();
    setText('');
    onChange(undefined);
    document.getElementById(id)?.focus();
  };
  return (
    <TextInput
      ref={ref}
      id={id}
      className={classes.field}
      type="search"
      aria-label={label}
      aria-keyshortcuts={shortcuts ? '/' : undefined}
      placeholder={placeholder}
      title={hint}
      leftSection={<IconSearch size={16} aria-hidden="true" />}
      rightSection={
        text && (
          <ActionIcon variant="subtle" color="gray" aria-label={t.list.clearSearch} onClick={clear}>
            <IconX size={16} aria-hidden="true" />
          </ActionIcon>
        )
      }
      autoCapitalize="none"
      autoComplete="off"
      enterKeyHint="search"
      spellCheck={false}
      value={text}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // The browser would clear the text.
        event.preventDefault();
        event.currentTarget.blur();
      }}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        announce(currentTarget.value);
      }}
    />
  );
}
