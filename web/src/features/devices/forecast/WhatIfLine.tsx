import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { whatIfQuery } from '@/api/device-forecast';
import { isStatus, messageOf } from '@/api/errors';
import type { WhatIfForm } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { useNow } from '@/ui/hooks/useNow';
import { useZone } from '@/ui/values/zone-context';
import classes from './WhatIfLine.module.css';
import { whatIfText } from './what-if-text';

/** While values change faster than this, no forecast is requested. */
const TYPING_MS = 400;

interface Props {
  dsn: string;
  /** The values that would be saved; undefined without changes. */
  change: WhatIfForm | undefined;
}

/** What values that are not saved yet mean for the date at which a device runs dry. */
export function WhatIfLine({ dsn, change }: Props) {
  const settled = useSettled(change && JSON.stringify(change));
  return (
    <p className={classes.line} role="status" aria-label={t.whatIf.label}>
      {change && settled !== undefined && <Effect dsn={dsn} change={JSON.parse(settled)} />}
    </p>
  );
}

function Effect({ dsn, change }: { dsn: string; change: WhatIfForm }) {
  const { data, error } = useQuery(whatIfQuery(dsn, change));
  const [now, zone] = [useNow(), useZone()];
  // The form shows what is wrong with its values when they are saved.
  if (error) return isStatus(error, 422) ? null : t.whatIf.failed(messageOf(error));
  return data ? whatIfText(data, now, zone) : null;
}

/** The value once it has not changed for a moment. */
function useSettled(value: string | undefined): string | undefined {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
