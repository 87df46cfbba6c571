import { Select as KitSelect, type SelectProps } from '@mantine/core';
import { useEffect, useState } from 'react';

/** The kit's select. Options are rendered when the field gets the focus, because most fields of a page never do. */
export function Select({ comboboxProps, onFocus, ...props }: SelectProps) {
  const [isNeeded, setNeeded] = useState(false);
  const [, setMounted] = useState(false);
  useEffect(() => {
    // The kit sets `aria-controls` only while it renders the field.
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
