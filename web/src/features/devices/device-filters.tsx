import { useQuery } from '@tanstack/react-query';
import { allCspsQuery } from '@/api/csps';
import { t } from '@/i18n/en';
import { SYSTEM_CONFIGURATIONS } from '@/lib/system-configurations';
import { Select } from '@/ui/kit';
import { ChoiceFilterInput, NamesFilterInput, TextFilterInput } from '@/ui/list/FilterInputs';
import type { FilterField, FilterInputProps } from '@/ui/list/filter-field';
import { type DeviceFilter, devicesList, STATUSES } from './devices-search';

/** The filters of A-38. The server ignores csp from those who see no CSP. */
export function deviceFilterFields(seesCsp: boolean): FilterField[] {
  return devicesList.filterNames
    .filter((name) => name !== 'csp' || seesCsp)
    .map((name) => ({ name, label: t.devices.columns[name], Input: TextFilterInput, ...SPECIAL[name] }));
}

const SPECIAL: Partial<Record<DeviceFilter, Pick<FilterField, 'Input' | 'words'>>> = {
  csp: { Input: CspInput },
  model: { Input: ModelInput, words: (code) => SYSTEM_CONFIGURATIONS[code] ?? code },
  connectionstatus: { Input: (props) => <ChoiceFilterInput {...props} choices={STATUSES} /> },
};

function CspInput(props: FilterInputProps) {
  const csps = useQuery(allCspsQuery);
  const names = csps.data?.map(({ name }) => name);
  return <NamesFilterInput {...props} names={names} error={csps.isError ? t.csps.failed : undefined} />;
}

/** Those of the specification, and the one chosen when it is another. */
function ModelInput(props: FilterInputProps) {
  const codes = new Set(Object.keys(SYSTEM_CONFIGURATIONS));
  if (props.value) codes.add(props.value);
  const choices = [...codes].map((value) => ({ value, label: SYSTEM_CONFIGURATIONS[value] ?? value }));
  return <ChoiceFilterInput {...props} choices={choices} />;
}

interface StatusProps {
  value: string | undefined;
  onChange: (status: string | undefined) => void;
}

/** The status without a dialog, for those who have the room. */
export function StatusFilter({ value, onChange }: StatusProps) {
  return (
    <Select
      w={160}
      aria-label={t.devices.columns.connectionstatus}
      placeholder={t.devices.anyStatus}
      data={STATUSES}
      value={value ?? null}
      onChange={(status) => onChange(status ?? undefined)}
      clearable
    />
  );
}
