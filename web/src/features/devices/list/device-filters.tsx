import type { DeviceCounts, DeviceFacetField } from '@/api/schema.gen';
import { dayText } from '@/browser/days';
import { SYSTEM_CONFIGURATIONS } from '@/domain/system-configurations';
import { t } from '@/i18n/en';
import { Select, Skeleton } from '@/ui/kit';
import type { FilterField } from '@/ui/list/filter-field';
import { lazyPart } from '@/ui/notices/lazy-part';
import { isFacet } from '../facets/facet-fields';
import { choicesOf, type DeviceFilter, FILTER_NAMES, isDate, NEAR_KM, STATUSES } from './devices-search';

const FIELD = <Skeleton height={60} />;
const FacetInput = lazyPart(async () => (await import('../facets/FacetInput')).FacetInput, FIELD);
const RemainingInput = lazyPart(async () => (await import('./filter-inputs')).RemainingInput, FIELD);
const DateInput = lazyPart(async () => (await import('@/ui/list/FilterInputs')).DateFilterInput, FIELD);
const OfflineInput = lazyPart(async () => (await import('./filter-inputs')).OfflineInput, FIELD);

/** Texts of the search field above the list. */
export const searchTexts = {
  name: 'q',
  label: t.devices.search,
  placeholder: t.devices.searchHint,
  hint: t.devices.searchTitle,
};

interface Options {
  seesCsp: boolean;
  /** A device that is not listed. */
  excludeDsn?: string | undefined;
}

/** The filters of A-38, and further ones. The server ignores csp for users who see no CSPs. */
export function deviceFilterFields({ seesCsp, excludeDsn }: Options): FilterField[] {
  return FILTER_NAMES.filter((name) => name !== 'csp' || seesCsp).map((name) => {
    const choices = choicesOf(name);
    return {
      name,
      label: LABELS[name],
      ...(isDate(name) && { Input: DateInput, words: dayText }),
      ...(choices && { choices }),
      ...SPECIAL[name],
      ...(isFacet(name) && facet(name, excludeDsn)),
    };
  });
}

/** The field of a filter by a value that devices have. */
function facet(field: DeviceFacetField, excludeDsn: string | undefined): Partial<FilterField> {
  const { words } = SPECIAL[field] ?? {};
  return {
    takesQuotes: true,
    renderInput: (props) => <FacetInput {...props} field={field} excludeDsn={excludeDsn} words={words} />,
  };
}

const LABELS: Record<DeviceFilter, string> = { ...t.devices.columns, ...t.devices.filters };
/** The choices of the dialog; a link can name another number. */
const RUNS_DRY_DAYS = [7, 14, 30];

const SPECIAL: Partial<Record<DeviceFilter, Partial<FilterField>>> = {
  q: { isAtHand: true },
  model: { words: (code) => SYSTEM_CONFIGURATIONS[code] ?? code },
  connectionstatus: { words: statusText },
  maxremaining: { Input: RemainingInput, words: t.devices.percent },
  offlinehours: { Input: OfflineInput, words: (hours) => durationText(Number(hours)) },
  runsdrydays: {
    choices: RUNS_DRY_DAYS.map((days) => ({ value: String(days), label: t.devices.days(days) })),
    words: (days) => t.devices.days(Number(days)),
    titleWords: (days) => t.devices.runsDryIn(t.devices.days(Number(days))),
  },
  near: { isAtHand: true, words: () => t.devices.within(NEAR_KM) },
};

function durationText(hours: number): string {
  return hours % 24 === 0 ? t.devices.days(hours / 24) : t.devices.hours(hours);
}

function statusText(value: string): string {
  const status = STATUSES.find((status) => status === value);
  return status ? t.devices.statuses[status] : value;
}

const COUNTED = { Online: 'online', Offline: 'offline', NeverConnected: 'neverConnected' } as const;

/** The statuses, each with its number of devices once that is known. */
function statusChoices(counts: DeviceCounts | undefined) {
  return STATUSES.map((value) => {
    const label = t.devices.statuses[value];
    return { value, label: counts ? t.devices.counted(label, counts[COUNTED[value]]) : label };
  });
}

interface StatusProps {
  value: string | undefined;
  counts: DeviceCounts | undefined;
  onChange: (status: string | undefined) => void;
}

/** A filter by status outside the dialog, where there is room. */
export function StatusFilter({ value, counts, onChange }: StatusProps) {
  return (
    <Select
      w={210}
      aria-label={t.devices.columns.connectionstatus}
      placeholder={t.devices.anyStatus}
      data={statusChoices(counts)}
      value={value ?? null}
      onChange={(status) => onChange(status ?? undefined)}
      clearable
    />
  );
}
