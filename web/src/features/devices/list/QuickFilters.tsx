import { IconCurrentLocation } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { attentionCountQuery } from '@/api/attention';
import { networkError } from '@/api/errors';
import type { DeviceCounts } from '@/api/schema.gen';
import { useCan } from '@/api/session';
import { LOW_PRODUCT_PERCENT } from '@/domain/level';
import type { FilterValues } from '@/domain/list';
import { numberText } from '@/domain/number-text';
import { t } from '@/i18n/en';
import { useIsHandheld } from '@/ui/hooks/useIsHandheld';
import { ErrorLine } from '@/ui/notices/ErrorLine';
import classes from './QuickFilters.module.css';

const LOW = String(LOW_PRODUCT_PERCENT);
/** The period of the count. */
const SOON_DAYS = '7';
/** The devices that run dry soon, the first of them on top. */
const SOON = { runsdrydays: SOON_DAYS, runsdrybefore: undefined, order_by: 'runsdry', order: 'asc' };
const WITHOUT_SOON = { runsdrydays: undefined, order_by: undefined, order: undefined };

/** A precision of about a hundred metres, so that the page's address does not reveal more. */
const PLACE_DECIMALS = 3;

interface Props {
  filters: FilterValues;
  counts: DeviceCounts | undefined;
  onChange: (part: object) => void;
}

/** The figures of the list, and on a phone what has other controls on a desktop: a tap sets a filter, another tap removes it. */
export function QuickFilters({ filters, counts, onChange, hasAttention }: Props & { hasAttention: boolean }) {
  const { connectionstatus: status, runsdrydays } = filters;
  const isHandheld = useIsHandheld();
  const seesAttention = useCan('attention.view') && hasAttention;
  const locate = useLocate(onChange);
  const setStatus = (value: string) => onChange({ connectionstatus: status === value ? undefined : value });
  return (
    <fieldset className={classes.quick} aria-label={t.devices.quick.label}>
      <div className={classes.row}>
        {isHandheld && <NearChip near={filters.near} locate={locate} onChange={onChange} />}
        <Chip
          label={t.devices.statuses.Online}
          count={counts?.online}
          isOn={status === 'Online'}
          onToggle={() => setStatus('Online')}
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
          label={t.devices.quick.runsDry}
          count={counts?.runsDry}
          isOn={runsdrydays === SOON_DAYS}
          onToggle={() => onChange(runsdrydays === SOON_DAYS ? WITHOUT_SOON : SOON)}
        />
        {seesAttention && <AttentionLink />}
        {isHandheld && (
          <Chip
            label={t.devices.quick.low}
            count={counts?.low}
            isOn={filters.maxremaining === LOW}
            onToggle={() => onChange({ maxremaining: filters.maxremaining === LOW ? undefined : LOW })}
          />
        )}
      </div>
      {locate.isError && <ErrorLine>{locate.error.message}</ErrorLine>}
    </fieldset>
  );
}

/** The new items of what needs attention. They are no filter of devices: an item may be about a CSP, and a device may have several. */
function AttentionLink() {
  const count = useQuery(attentionCountQuery).data?.new;
  return (
    <Link to="/attention" search={{ state: 'new' }} className={classes.chip}>
      <span>{t.devices.quick.attention}</span>{' '}
      {count !== undefined && <span className={classes.count}>{numberText(count)}</span>}
    </Link>
  );
}

/** Filters by the distance from the browser's position. */
function useLocate(onChange: Props['onChange']) {
  return useMutation({
    mutationFn: async () => {
      const { detectLocation, locationHelp } = await import('../form/detect-location').catch((error) => {
        throw networkError(error);
      });
      const { latitude, longitude } = await detectLocation(navigator.geolocation).catch((error) => {
        throw new Error([t.devices.nearFailed(error.message), locationHelp(error)].filter(Boolean).join(' '));
      });
      return [latitude, longitude].map((degrees) => Number(degrees).toFixed(PLACE_DECIMALS)).join(',');
    },
    onSuccess: (near) => onChange({ near, order_by: 'distance', order: 'asc' }),
  });
}

interface NearProps {
  near: string | undefined;
  locate: ReturnType<typeof useLocate>;
  onChange: Props['onChange'];
}

/** The first chip, because a technician on the road needs it most. */
function NearChip({ near, locate, onChange }: NearProps) {
  return (
    <Chip
      label={locate.isPending ? t.devices.quick.locating : t.devices.quick.near}
      icon={<IconCurrentLocation size={16} aria-hidden="true" />}
      isOn={near !== undefined}
      onToggle={() => {
        if (near !== undefined) onChange({ near: undefined });
        else if (!locate.isPending) locate.mutate();
      }}
    />
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
      <span>{label}</span> {count !== undefined && <span className={classes.count}>{numberText(count)}</span>}
    </button>
  );
}
