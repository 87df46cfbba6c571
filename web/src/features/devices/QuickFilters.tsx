import { IconCurrentLocation } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { DeviceCounts } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { LOW_PRODUCT_PERCENT } from '@/lib/level';
import type { FilterValues } from '@/lib/list';
import { ErrorLine } from '@/ui/ErrorLine';
import classes from './QuickFilters.module.css';

const LOW = String(LOW_PRODUCT_PERCENT);

/** A precision of about a hundred metres, so that the page's address does not reveal more. */
const PLACE_DECIMALS = 3;

interface Props {
  filters: FilterValues;
  counts: DeviceCounts | undefined;
  onChange: (part: object) => void;
}

/** A technician's most common filters: a tap sets a filter, another tap removes it. */
export function QuickFilters({ filters, counts, onChange }: Props) {
  const { connectionstatus: status, maxremaining, near } = filters;
  const locate = useMutation({
    mutationFn: async () => {
      const { detectLocation } = await import('./form/detect-location');
      const { latitude, longitude } = await detectLocation(navigator.geolocation);
      return [latitude, longitude].map((degrees) => Number(degrees).toFixed(PLACE_DECIMALS)).join(',');
    },
    onSuccess: (near) => onChange({ near, order_by: 'distance', order: 'asc' }),
  });
  const setStatus = (value: string) => onChange({ connectionstatus: status === value ? undefined : value });
  return (
    <fieldset className={classes.quick} aria-label={t.devices.quick.label}>
      <Chip
        label={t.devices.quick.low}
        count={counts?.low}
        isOn={maxremaining === LOW}
        onToggle={() => onChange({ maxremaining: maxremaining === LOW ? undefined : LOW })}
      />
      <Chip
        label={t.devices.statuses.Offline}
        count={counts?.offline}
        isOn={status === 'Offline'}
        onToggle={() => setStatus('Offline')}
      />
      <Chip
        label={t.devices.statuses.NeverConnected}
        count={counts?.neverConnected}
        isOn={status === 'NeverConnected'}
        onToggle={() => setStatus('NeverConnected')}
      />
      <Chip
        label={locate.isPending ? t.devices.quick.locating : t.devices.quick.near}
        icon={<IconCurrentLocation size={16} aria-hidden="true" />}
        isOn={near !== undefined}
        onToggle={() => {
          if (near !== undefined) onChange({ near: undefined });
          else if (!locate.isPending) locate.mutate();
        }}
      />
      {locate.isError && <ErrorLine>{t.devices.nearFailed(locate.error.message)}</ErrorLine>}
    </fieldset>
  );
}

interface ChipProps {
  label: string;
  count?: number | undefined;
  icon?: ReactNode;
  isOn: boolean;
  onToggle: () => void;
}

function Chip({ label, count, icon, isOn, onToggle }: ChipProps) {
  return (
    <button type="button" className={classes.chip} aria-pressed={isOn} onClick={onToggle}>
      {icon}
      {label} {count !== undefined && <span className={classes.count}>{count}</span>}
    </button>
  );
}
