import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { deviceHistoryQuery } from '@/api/device-history';
import { messageOf } from '@/api/errors';
import type { DeviceHistory, DeviceWeek } from '@/api/schema.gen';
import { ACTIVITIES, fittingDays, type History, lastDays } from '@/domain/history';
import type { HistoryDays } from '@/domain/history-days';
import { loadTemporal } from '@/domain/temporal';
import { t } from '@/i18n/en';
import { ChoiceField } from '@/ui/fields/ChoiceField';
import { useSeen } from '@/ui/hooks/useSeen';
import { Button, Skeleton } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { Loading } from '@/ui/notices/Loading';
import { lazyPart } from '@/ui/notices/lazy-part';
import { EmptyNotice, ErrorNotice } from '@/ui/notices/Notice';
import { ZoneNote } from '@/ui/values/ZoneNote';
import { useZone } from '@/ui/values/zone-context';
import classes from './HistoryBlock.module.css';
import { HistoryTable as TableOfDays } from './HistoryTable';
import { DEFAULT_DAYS, readHistorySearch } from './history-search';
import { effectOf, markText } from './mark-text';
import { weekText } from './week-text';

const route = getRouteApi('/signed-in/devices/$dsn');
const HistoryCharts = lazyPart(async () => (await import('./HistoryCharts')).default, <LoadingShape />);
/** The days of the table need `Temporal`, which older browsers have to load. */
const HistoryTable = lazyPart(
  async () => {
    const temporal = await loadTemporal();
    return ({ history }: { history: History }) => <TableOfDays history={history} temporal={temporal} />;
  },
  <LoadingShape />,
);

/** The history of a device, read when it is scrolled into view. */
export function HistoryBlock({ dsn }: { dsn: string }) {
  const [ref, seen] = useSeen<HTMLDivElement>();
  const [asTable, setAsTable] = useState(false);
  return (
    <div ref={ref}>
      <Card
        title={t.history.title}
        actions={
          <Button variant="subtle" size="compact-sm" onClick={() => setAsTable(!asTable)}>
            {asTable ? t.history.asChart : t.history.asTable}
          </Button>
        }
      >
        {seen ? <LoadedHistory dsn={dsn} asTable={asTable} /> : <Shape />}
      </Card>
    </div>
  );
}

function LoadedHistory({ dsn, asTable }: { dsn: string; asTable: boolean }) {
  const { history: days = DEFAULT_DAYS } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(deviceHistoryQuery(dsn, days));
  const history = useMemo(() => query.data && stepsOf(query.data), [query.data]);
  if (!history) {
    if (!query.isError) return <LoadingShape />;
    const retry = () => void query.refetch();
    return <ErrorNotice title={t.history.failed} reason={messageOf(query.error)} onRetry={retry} />;
  }
  if (isEmpty(history)) return <EmptyNotice title={t.history.empty} text={t.history.emptyHint} />;
  return (
    <Ranges
      history={history}
      week={query.data?.lastWeek ?? null}
      days={days}
      onDays={(days) =>
        void navigate({ search: readHistorySearch({ history: days }), replace: true, resetScroll: false })
      }
      asTable={asTable}
      busy={query.isPlaceholderData}
    />
  );
}

interface RangesProps {
  history: History;
  week: DeviceWeek | null;
  days: HistoryDays;
  onDays: (days: HistoryDays) => void;
  asTable: boolean;
  /** The values are still those of the previous range. */
  busy: boolean;
}

/** The history of the chosen range, and the other ranges that fit the data. */
function Ranges({ history, week, days, onDays, asTable, busy }: RangesProps) {
  const zone = useZone();
  const fitting = fittingDays(history);
  const longest = fitting.at(-1) ?? days;
  const shown = Math.min(days, longest) as HistoryDays;
  const part = useMemo(() => lastDays(history, shown), [history, shown]);
  const table = <HistoryTable history={part} />;
  return (
    <div aria-busy={busy} className={classes.ranges}>
      <ZoneNote />
      {week && <p className={classes.week}>{weekText(week, zone)}</p>}
      {fitting.length > 1 && (
        <ChoiceField
          label={t.history.days}
          choices={fitting}
          text={t.history.daysText}
          value={shown}
          onChange={(chosen) => onDays(chosen as HistoryDays)}
        />
      )}
      {asTable ? (
        table
      ) : (
        // If the chart's code cannot be loaded, the table still shows the data.
        <HistoryCharts key={shown} history={part} failed={table} />
      )}
    </div>
  );
}

function LoadingShape() {
  return (
    <Loading label={t.history.loading}>
      <Shape />
    </Loading>
  );
}

/** A placeholder of the height of the charts. */
function Shape() {
  return (
    <div className={classes.shape}>
      <Skeleton height="10rem" />
      <Skeleton height="8rem" />
      <Skeleton height="8rem" />
      <Skeleton height="5.5rem" />
    </div>
  );
}

function stepsOf({ from, to, level, activity, intensity, status, statusSince, marks }: DeviceHistory): History {
  const online = status?.map(({ at, online }) => ({ at, value: online ? 1 : 0 })) ?? null;
  const done = marks.map((mark) => ({ at: mark.at, kind: mark.kind, text: markText(mark), effect: effectOf(mark) }));
  const activities = activity.map(({ at, activity }) => ({ at, value: ACTIVITIES[activity] }));
  return { from, to, level, activity: activities, intensity, online, onlineSince: statusSince, marks: done };
}

function isEmpty({ level, intensity, online }: History): boolean {
  return level.length === 0 && intensity.length === 0 && (online ?? []).length === 0;
}
