import type { DeviceCounts } from '@/api/schema.gen';
import { dayText } from '@/browser/days';
import { SYSTEM_CONFIGURATIONS } from '@/domain/system-configurations';
import { t } from '@/i18n/en';
import { Select, Skeleton } from '@/ui/kit';
import type { FilterField } from '@/ui/list/filter-field';
import { lazyPart } from '@/ui/notices/lazy-part';
import { choicesOf, type DeviceFilter, FILTER_NAMES, isDate, NEAR_KM, STATUSES } from './devices-search';

const FIELD = <Skeleton height={60} />;
const CspInput = lazyPart(async () => (await import('@/form/CspFilterInput')).CspFilterInput, FIELD);
const CustomerInput = lazyPart(async () => (await import('@/form/CustomerFilterInputs')).CustomerFilterInput, FIELD);
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
  counts: DeviceCounts | undefined;
}

/** The filters of A-38, and further ones. The server ignores csp for users who see no CSPs. */
export function deviceFilterFields({ seesCsp, counts }: Options): FilterField[] {
  const special: Partial<Record<DeviceFilter, Partial<FilterField>>> = {
    ...SPECIAL,
    connectionstatus: { choices: statusChoices(counts), words: statusText },
  };
  return FILTER_NAMES.filter((name) => name !== 'csp' || seesCsp).map((name) => {
    const choices = choicesOf(name);
    return {
      name,
      label: LABELS[name],
      ...(isDate(name) && { Input: DateInput, words: dayText }),
      ...(choices && { choices }),
      ...special[name],
    };
  });
}

const LABELS: Record<DeviceFilter, string> = { ...t.devices.columns, ...t.devices.filters };
/** The choices of the dialog; a link can name another number. */
const RUNS_DRY_DAYS = [7, 14, 30];
const MODELS = Object.entries(SYSTEM_CONFIGURATIONS).map(([value, label]) => ({ value, label }));

const SPECIAL: Partial<Record<DeviceFilter, Partial<FilterField>>> = {
  q: { isAtHand: true },
  customer: { Input: CustomerInput },
  csp: { Input: CspInput },
  model: { choices: MODELS, words: (code) => SYSTEM_CONFIGURATIONS[code] ?? code },
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
