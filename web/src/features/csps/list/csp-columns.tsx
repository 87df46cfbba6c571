import type { CspView } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import type { Column } from '@/ui/list/DataTable';
import { RowCard } from '@/ui/list/RowCards';
import { DevicesLink, EditCspLink, UsersLink } from './CspLinks';
import classes from './csp-columns.module.css';
import type { CspsSearch } from './csps-search';

interface Options {
  search: CspsSearch;
  canEdit: boolean;
}

/** The columns of A-37; without the edit column for users who may not edit CSPs. */
export function cspColumns({ search, canEdit }: Options): Column<CspView>[] {
  const edit: Column<CspView> = {
    labels: [{ label: t.csps.columns.edit }],
    cell: (csp) => <EditCspLink csp={csp} search={search} />,
  };
  return [
    {
      labels: [{ label: t.csps.columns.name, sort: 'name' }],
      grow: true,
      cell: (csp) => <span className={classes.name}>{csp.name}</span>,
    },
    {
      labels: [{ label: t.csps.columns.devices }],
      cell: (csp) => <DevicesLink csp={csp}>{t.csps.count(csp.deviceCount)}</DevicesLink>,
    },
    {
      labels: [{ label: t.csps.columns.users }],
      cell: (csp) => <UsersLink csp={csp}>{t.csps.count(csp.userCount)}</UsersLink>,
    },
    ...(canEdit ? [edit] : []),
  ];
}

export function cspCard(csp: CspView, search: CspsSearch) {
  return (
    <RowCard
      link={<div className={classes.name}>{csp.name}</div>}
      text={
        <div className={classes.counts}>
          <DevicesLink csp={csp}>{t.csps.deviceCount(csp.deviceCount)}</DevicesLink>
          <UsersLink csp={csp}>{t.csps.userCount(csp.userCount)}</UsersLink>
        </div>
      }
      state={<EditCspLink csp={csp} search={search} />}
    />
  );
}
