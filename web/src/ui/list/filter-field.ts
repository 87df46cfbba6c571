import type { ComponentType, ReactNode } from 'react';
import { exactValue } from '@/domain/exact-filter';
import type { FilterValues } from '@/domain/list';
import { t } from '@/i18n/en';

export interface FilterInputProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  /** The values of all fields of the dialog. */
  filters: FilterValues;
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
  /** As `Input`, for a component that needs more properties. */
  renderInput?: (props: FilterInputProps) => ReactNode;
  /** Set if text in double quotes matches whole values. */
  takesQuotes?: boolean;
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
  return fields.flatMap((field) => {
    const { name, label, words = String } = field;
    const value = filters[name];
    if (!value) return [];
    const exact = exactText(field, value);
    if (exact !== undefined) return [{ name, label: t.list.exactLabel(label), value: words(exact) }];
    return [{ name, label, value: words(value) }];
  });
}

/** The active filters without their labels, for titles. */
export function filterTexts(fields: readonly FilterField[], filters: FilterValues): string[] {
  return fields.flatMap((field) => {
    const { name, words = String, titleWords = words } = field;
    const value = filters[name];
    return value ? [titleWords(exactText(field, value) ?? value)] : [];
  });
}

function exactText({ takesQuotes }: FilterField, value: string): string | undefined {
  return takesQuotes ? exactValue(value) : undefined;
}
