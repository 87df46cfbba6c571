import { useSyncExternalStore } from 'react';
import { isUpdated, onUpdate } from '@/browser/release';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';
import { InfoNotice } from './Notice';
import classes from './UpdateNotice.module.css';

/** Offers a reload once the server has another release than the page. */
export function UpdateNotice() {
  if (!useIsUpdated()) return null;
  return (
    <div className={classes.notice}>
      <InfoNotice text={t.release.updated} action={<ReloadButton />} />
    </div>
  );
}

export function useIsUpdated(): boolean {
  return useSyncExternalStore(onUpdate, isUpdated);
}

export function ReloadButton() {
  return (
    <Button size="compact-sm" variant="subtle" onClick={() => window.location.reload()}>
      {t.release.reload}
    </Button>
  );
}
