import type { ComponentType } from 'react';
import type { FilterValues } from '@/domain/list';

export interface FilterInputProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  /** Set on the first field of a dialog on a desktop. */
  autoFocus: boolean;
}

export type FilterChoice = string | { value: string; label: string };

/** A filter of a list: its field in the dialog and its chip. */
export interface FilterField {
  /** Its name in the query string. */
  name: string;
  label: string;
  /** The choices; any text if omitted. */
  choices?: readonly FilterChoice[];
  /** The field for a value that is neither text nor a choice. */
  Input?: ComponentType<FilterInputProps>;
  /** Set if the filter has a control above the list and none in the dialog. */
  isAtHand?: boolean;
  /** The text for a coded value. */
  words?: (value: string) => string;
  /** The text in a title or a file name, if `words` make no sense without the label. */
  titleWords?: (value: string) => string;
}

/** An active filter in its chip. */
export interface ActiveFilter {
  name: string;
  label: string;
  value: string;
}

/** The active filters in the order of the fields. */
export function activeFilters(fields: readonly FilterField[], filters: FilterValues): ActiveFilter[] {
  return fields.flatMap(({ name, label, words = String }) => {
    const value = filters[name];
    return value ? [{ name, label, value: words(value) }] : [];
  });
}

/** The active filters without their labels, for titles. */
export function filterTexts(fields: readonly FilterField[], filters: FilterValues): string[] {
  return fields.flatMap(({ name, words = String, titleWords = words }) => {
    const value = filters[name];
    return value ? [titleWords(value)] : [];
  });
}
