import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CspView } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import rowLink from '@/ui/list/rowLink.module.css';
import { ROW_LINK } from '@/ui/list/useListKeys';
import classes from './csp-columns.module.css';
import type { CspsSearch } from './csps-search';

interface Props {
  csp: CspView;
  children: ReactNode;
}

/** A link to the devices of the CSP. */
export function DevicesLink({ csp: { name, deviceCount }, children }: Props) {
  return (
    <Link
      to="/devices"
      search={{ csp: name }}
      className={rowLink.link}
      aria-label={t.csps.of(t.csps.deviceCount(deviceCount), name)}
      {...ROW_LINK}
    >
      {children}
    </Link>
  );
}

/** A link to the users of the CSP. */
export function UsersLink({ csp: { name, userCount }, children }: Props) {
  return (
    <Link
      to="/users"
      search={{ csp: name }}
      className={rowLink.link}
      aria-label={t.csps.of(t.csps.userCount(userCount), name)}
    >
      {children}
    </Link>
  );
}

/** A link to the form, or the reason why the CSP cannot be changed. It remembers the list that it was opened from. */
export function EditCspLink({ csp, search }: { csp: CspView; search: CspsSearch }) {
  if (!csp.can.edit) return null;
  if (!csp.isFree) return <span className={classes.inUse}>{t.csps.inUseBy(csp.deviceCount, csp.userCount)}</span>;
  return (
    <Link
      to="/csps/$id"
      params={{ id: csp.id }}
      state={{ fromCsps: search }}
      className={rowLink.link}
      aria-label={t.csps.editOf(csp.name)}
    >
      {t.csps.edit}
    </Link>
  );
}
