import { Select as KitSelect, type SelectProps } from '@mantine/core';
import { useEffect, useState } from 'react';

/** The kit's, with options that are rendered once the field has the focus: most fields of a page never have it. */
export function Select({ comboboxProps, onFocus, ...props }: SelectProps) {
  const [isNeeded, setNeeded] = useState(false);
  const [, setMounted] = useState(false);
  useEffect(() => {
    // The kit looks for the list, which it names in `aria-controls`, only while it renders the field.
    setMounted(isNeeded);
  }, [isNeeded]);
  return (
    <KitSelect
      {...props}
      comboboxProps={{ keepMounted: isNeeded, ...comboboxProps }}
      onFocus={(event) => {
        setNeeded(true);
        onFocus?.(event);
      }}
    />
  );
}
