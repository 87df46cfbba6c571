import { useQuery } from '@tanstack/react-query';
import { allCspsQuery } from '@/api/csps';
import { t } from '@/i18n/en';
import { SYSTEM_CONFIGURATIONS } from '@/lib/system-configurations';
import { Dialog } from '@/ui/Dialog';
import { Button, Group, Select, Text, TextInput, useForm } from '@/ui/kit';
import { useIsPhone } from '@/ui/useIsPhone';
import { type DeviceFilter, type DeviceFilters, deviceFilters, STATUSES } from './devices-search';
import classes from './FilterDialog.module.css';
import { useDeviceFilters } from './useDeviceFilters';

interface Props {
  filters: DeviceFilters;
  opened: boolean;
  onApply: (filters: DeviceFilters) => void;
  onClear: () => void;
  onClose: () => void;
}

/** All filters of the list at once. */
export function FilterDialog({ opened, onClose, ...rest }: Props) {
  return (
    <Dialog title={t.devices.filterTitle} opened={opened} onClose={onClose}>
      <FilterFields onClose={onClose} {...rest} />
    </Dialog>
  );
}

function FilterFields({ filters, onApply, onClear, onClose }: Omit<Props, 'opened'>) {
  const names = useDeviceFilters();
  const isPhone = useIsPhone();
  const form = useForm<DeviceFilters>({ initialValues: filters });
  return (
    <form
      onSubmit={form.onSubmit((values) => {
        onApply(deviceFilters(values));
        onClose();
      })}
    >
      <Text size="sm" c="dimmed" mb="md">
        {t.list.filterHint}
      </Text>
      <div className={classes.fields}>
        {names.map((name, place) => (
          <FilterField
            key={name}
            name={name}
            value={form.values[name] ?? ''}
            onChange={(value) => form.setFieldValue(name, value)}
            // On a phone the keyboard would cover the other fields.
            autoFocus={place === 0 && !isPhone}
          />
        ))}
      </div>
      <Group className={classes.actions} gap="sm">
        <Button
          className={classes.clear}
          variant="subtle"
          onClick={() => {
            onClear();
            onClose();
          }}
        >
          {t.list.clear}
        </Button>
        <Button variant="default" onClick={onClose}>
          {t.common.cancel}
        </Button>
        <Button type="submit">{t.list.apply}</Button>
      </Group>
    </form>
  );
}

interface FieldProps {
  name: DeviceFilter;
  value: string;
  onChange: (value: string | undefined) => void;
  autoFocus: boolean;
}

function FilterField({ name, value, onChange, autoFocus }: FieldProps) {
  const label = t.devices.columns[name];
  const choice = { label, value: value || null, onChange: (chosen: string | null) => onChange(chosen ?? undefined) };
  switch (name) {
    case 'csp':
      return <CspField {...choice} />;
    case 'model':
      return <ChoiceFilter {...choice} data={configurations(value)} />;
    case 'connectionstatus':
      return <ChoiceFilter {...choice} data={STATUSES.map((status) => ({ value: status, label: status }))} />;
    default:
      return (
        <TextInput
          label={label}
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
          data-autofocus={autoFocus || undefined}
          autoComplete="off"
          spellCheck={false}
        />
      );
  }
}

interface ChoiceProps {
  label: string;
  value: string | null;
  onChange: (chosen: string | null) => void;
}

interface Choice {
  value: string;
  label: string;
}

function ChoiceFilter(props: ChoiceProps & { data: Choice[] }) {
  return <Select placeholder={t.list.any} clearable {...props} />;
}

function CspField(props: ChoiceProps) {
  const csps = useQuery(allCspsQuery);
  const names = new Set(csps.data?.map(({ name }) => name));
  // A link may name one that is not among them.
  if (props.value) names.add(props.value);
  return (
    <Select
      placeholder={t.list.any}
      clearable
      searchable
      nothingFoundMessage={csps.isPending ? t.list.loading : t.list.empty}
      error={csps.isError && t.csps.failed}
      data={[...names]}
      {...props}
    />
  );
}

/** Those of the specification, and the one chosen when it is another. */
function configurations(chosen: string): Choice[] {
  const known = Object.entries(SYSTEM_CONFIGURATIONS).map(([value, label]) => ({ value, label }));
  return chosen && !(chosen in SYSTEM_CONFIGURATIONS) ? [...known, { value: chosen, label: chosen }] : known;
}
