import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { allCspsQuery } from '@/api/csps';
import { DEVICE_FILTERS, type DeviceFacetField } from '@/api/schema.gen';
import { exactValue, filterText } from '@/domain/exact-filter';
import { fold } from '@/domain/fold';
import { SYSTEM_CONFIGURATIONS } from '@/domain/system-configurations';
import { t } from '@/i18n/en';
import { FacetField, type FacetOption } from '@/ui/list/FacetField';
import type { FilterInputProps } from '@/ui/list/filter-field';
import { STATUSES } from '../list/devices-search';
import { FACET_KINDS } from './facet-fields';
import { useFacets } from './useFacets';

interface Props extends FilterInputProps {
  field: DeviceFacetField;
  /** A device that is not listed. */
  excludeDsn: string | undefined;
  /** The label of a code. */
  words?: ((code: string) => string) | undefined;
}

/** The codes that are offered even if no device has them. */
const CODES: Partial<Record<DeviceFacetField, readonly string[]>> = {
  model: Object.keys(SYSTEM_CONFIGURATIONS),
  connectionstatus: STATUSES,
  mode: DEVICE_FILTERS.mode.enum,
};

/** A filter of devices by a value, with the number of devices beside each choice. */
export function FacetInput({ field, words, ...props }: Props) {
  return FACET_KINDS[field] === 'part' ? (
    <PartInput field={field} {...props} />
  ) : (
    <WholeInput field={field} words={words} {...props} />
  );
}

/** Filters by a part of a value, or by a value that is chosen from the menu. */
function PartInput({ label, value = '', filters, onChange, autoFocus, field, excludeDsn }: Omit<Props, 'words'>) {
  const [isOpen, setOpen] = useState(false);
  const exact = exactValue(value);
  const { values, isRead, isError, isOutdated, more } = useFacets({
    field,
    // A chosen value stays one of several.
    text: exact === undefined ? value : '',
    filters,
    excludeDsn,
    isOpen,
    isCode: false,
  });
  return (
    <FacetField
      label={label}
      text={exact ?? value}
      mark={exact === undefined ? undefined : t.facets.exact}
      options={values.map(({ value, filter, devices }) => ({ filter, label: value, count: devices }))}
      chosen={value}
      onText={onChange}
      onChoose={onChange}
      onClear={value === '' ? undefined : () => onChange(undefined)}
      isOpen={isOpen}
      onOpen={setOpen}
      isRead={isRead || isError}
      busy={isOutdated}
      notice={isError ? t.facets.failedTypeOne : undefined}
      more={more}
      autoFocus={autoFocus}
    />
  );
}

/** Filters by a whole value. Typing searches the menu. */
function WholeInput({ label, value, filters, onChange, autoFocus, field, excludeDsn, words = String }: Props) {
  const [isOpen, setOpen] = useState(false);
  /** Undefined until the user types. */
  const [typed, setTyped] = useState<string>();
  const isCode = FACET_KINDS[field] === 'code';
  const { values, isRead, isError, isOutdated, more } = useFacets({
    field,
    text: isCode ? '' : (typed ?? ''),
    filters,
    excludeDsn,
    isOpen,
    isCode,
  });
  const csps = useQuery({ ...allCspsQuery, enabled: field === 'csp' && isOpen && isError }).data;
  const counted: FacetOption[] = values.map(({ value, filter, devices }) => ({
    filter,
    // The page names a code by its filter.
    label: isCode ? words(filterText(filter)) : value,
    count: devices,
  }));
  const known = isError && csps ? csps.map(({ name }) => name) : (CODES[field] ?? []);
  const others = known.filter((value) => !counted.some(({ filter }) => filterText(filter) === value));
  const uncounted: FacetOption[] = others.map((value) => ({
    filter: value,
    label: words(value),
    count: isError ? undefined : 0,
  }));
  // Values that no device has follow the others, which are complete by then.
  const options: FacetOption[] = isError || (isRead && !more) ? [...counted, ...uncounted] : counted;
  const search = fold(typed ?? '');
  const isSearchedHere = isCode || isError;
  return (
    <FacetField
      label={label}
      text={typed ?? (value === undefined ? '' : words(filterText(value)))}
      placeholder={t.list.any}
      selectsText
      options={isSearchedHere ? options.filter(({ label }) => fold(label).includes(search)) : options}
      chosen={options.find(({ filter }) => value !== undefined && filterText(filter) === filterText(value))?.filter}
      onText={(text) => {
        setTyped(text);
        if (text === '') onChange(undefined);
      }}
      onChoose={(filter) => {
        setTyped(undefined);
        onChange(filter);
      }}
      onClear={
        value === undefined
          ? undefined
          : () => {
              setTyped(undefined);
              onChange(undefined);
            }
      }
      isOpen={isOpen}
      onOpen={(isOpen) => {
        setOpen(isOpen);
        if (!isOpen) setTyped(undefined);
      }}
      isRead={isRead || isError}
      busy={isOutdated}
      notice={isError ? t.facets.failed : undefined}
      more={more}
      autoFocus={autoFocus}
    />
  );
}
