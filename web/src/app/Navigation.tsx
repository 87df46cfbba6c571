import {
  IconBellRinging,
  IconBuildingStore,
  IconChartAreaLine,
  IconDeviceSpeaker,
  IconHistory,
  IconListCheck,
  IconUsers,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { attentionCountQuery } from '@/api/attention';
import { runningJobsQuery } from '@/api/jobs';
import type { Permission } from '@/api/schema.gen';
import { sessionQuery } from '@/api/session';
import { t } from '@/i18n/en';
import navItem from '@/ui/layout/navItem.module.css';

/** Entries without a permission are visible to every signed-in user. */
const ENTRIES = [
  { to: '/attention', label: t.pages.attention, Icon: IconBellRinging, needs: 'attention.view' },
  { to: '/devices', label: t.pages.devices, Icon: IconDeviceSpeaker },
  { to: '/fleet', label: t.pages.fleet, Icon: IconChartAreaLine, needs: 'devices.view' },
  { to: '/users', label: t.pages.users, Icon: IconUsers, needs: 'users.view' },
  { to: '/csps', label: t.pages.csps, Icon: IconBuildingStore, needs: 'csps.view' },
  { to: '/jobs', label: t.pages.jobs, Icon: IconListCheck, needs: 'jobs.view' },
  { to: '/audit', label: t.pages.audit, Icon: IconHistory, needs: 'audit.view' },
] as const satisfies readonly { to: string; label: string; Icon: unknown; needs?: Permission }[];

/** Larger counts have no room. */
const MOST_SHOWN = 999;

export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const can: readonly Permission[] = useQuery(sessionQuery).data?.can ?? [];
  const entries = ENTRIES.filter((entry) => !('needs' in entry) || can.includes(entry.needs));
  return entries.map(({ to, label, Icon }) => (
    <Link key={to} to={to} className={navItem.item} activeOptions={{ includeSearch: false }} onClick={onNavigate}>
      <Icon size={20} stroke={1.7} aria-hidden="true" />
      <span>{label}</span>
      {to === '/attention' && <ItemMarks />}
      {to === '/jobs' && <RunningJobMark />}
    </Link>
  ));
}

/** The numbers of the user's own items and of new ones, unless there are none. */
function ItemMarks() {
  const { assigned = 0, new: fresh = 0 } = useQuery(attentionCountQuery).data ?? {};
  return (
    <span className={navItem.counts}>
      {assigned > 0 && (
        <span className={navItem.own} role="img" aria-label={t.shell.ownItems(assigned)}>
          {bounded(assigned)}
        </span>
      )}
      {fresh > 0 && (
        <span className={navItem.count} role="img" aria-label={t.shell.newItems(fresh)}>
          {bounded(fresh)}
        </span>
      )}
    </span>
  );
}

const bounded = (count: number) => (count > MOST_SHOWN ? `${MOST_SHOWN}+` : count);

/** Shown while one of the user's jobs runs. */
function RunningJobMark() {
  const { data: isRunning } = useQuery(runningJobsQuery);
  return (
    isRunning && <span className={navItem.mark} role="img" aria-label={t.shell.jobRunning} title={t.shell.jobRunning} />
  );
}
