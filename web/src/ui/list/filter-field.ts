import type { ComponentType } from 'react';
import type { FilterValues } from '@/lib/list';

export interface FilterInputProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  /** For the first field of a dialog at a desk. */
  autoFocus: boolean;
}

export type FilterChoice = string | { value: string; label: string };

/** One filter of a list, as its dialog asks for it and its chip shows it. */
export interface FilterField {
  /** Its name in the query string. */
  name: string;
  label: string;
  /** What it can be; any text when left out. */
  choices?: readonly FilterChoice[];
  /** Asks for what is neither text nor a choice. */
  Input?: ComponentType<FilterInputProps>;
  /** Set when it has a control above the list, and so none in the dialog. */
  isAtHand?: boolean;
  /** The words for a value that is only a code. */
  words?: (value: string) => string;
  /** The words in the name of a report's file, where `words` say nothing without the label. */
  fileWords?: (value: string) => string;
}

/** A filter that is set, as its chip shows it. */
export interface ActiveFilter {
  name: string;
  label: string;
  value: string;
}

/** The filters that are set, in the order of the fields. */
export function activeFilters(fields: readonly FilterField[], filters: FilterValues): ActiveFilter[] {
  return fields.flatMap(({ name, label, words = String }) => {
    const value = filters[name];
    return value ? [{ name, label, value: words(value) }] : [];
  });
}

/** The words of the filter that a report's file is named after: the last one set, since the broadest fields come last. */
export function mainFilter(fields: readonly FilterField[], filters: FilterValues): string | undefined {
  const field = fields.findLast(({ name }) => filters[name]);
  const { words = String, fileWords = words } = field ?? {};
  return field && fileWords(filters[field.name] ?? '');
}
