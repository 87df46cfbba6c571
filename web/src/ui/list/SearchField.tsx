import { IconSearch } from '@tabler/icons-react';
import { type Ref, useState } from 'react';
import { t } from '@/i18n/en';
import { textFilter } from '@/lib/search-state';
import { TextInput, useDebouncedCallback } from '@/ui/kit';
import { useShortcuts } from '@/ui/shortcuts';
import classes from './SearchField.module.css';

const TYPING_MS = 300;

interface Props {
  ref?: Ref<HTMLInputElement> | undefined;
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** The text filter needed most, applied while one types. Follows the URL, except for what is being typed. */
export function SearchField({ ref, label, value = '', onChange }: Props) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  const [shortcuts] = useShortcuts();
  const announce = useDebouncedCallback((typed: string) => onChange(textFilter(typed)), TYPING_MS);
  if (value !== shown) {
    setShown(value);
    if ((textFilter(text) ?? '') !== value) setText(value);
  }
  return (
    <TextInput
      ref={ref}
      className={classes.field}
      type="search"
      aria-label={label}
      aria-keyshortcuts={shortcuts ? '/' : undefined}
      placeholder={label}
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
