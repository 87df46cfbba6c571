import { ago } from '@/browser/time';
import { instant } from '@/domain/instant';
import { t } from '@/i18n/en';
import { useNow } from '@/ui/hooks/useNow';
import { ZonedTime } from '@/ui/values/ZonedTime';
import classes from './LargeTile.module.css';

interface Props {
  value: number | null;
  /** Time of the device's last sign of life. */
  lastSeenAt: string | null;
}

/** The age of a value. */
export function AsReported({ value, lastSeenAt }: Props) {
  const now = useNow();
  if (value === null || !lastSeenAt) return <p className={classes.soft}>{t.devicePage.notReported}</p>;
  const at = instant(lastSeenAt);
  return (
    <p className={classes.soft}>
      <ZonedTime at={at}>{t.devicePage.asReported(ago(at, now))}</ZonedTime>
    </p>
  );
}
