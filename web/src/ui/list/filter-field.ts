import type { ComponentType } from 'react';

export interface FilterInputProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  /** For the first field of a dialog at a desk. */
  autoFocus: boolean;
}

/** One filter of a list, as its dialog asks for it and its chip shows it. */
export interface FilterField {
  /** Its name in the query string. */
  name: string;
  label: string;
  Input: ComponentType<FilterInputProps>;
  /** The words for a value that is only a code. */
  words?: (value: string) => string;
}
