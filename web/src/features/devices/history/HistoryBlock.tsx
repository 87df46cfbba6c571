import { useQuery } from '@tanstack/react-query';
import { lazy, useMemo, useState } from 'react';
import { deviceHistoryQuery } from '@/api/device-history';
import { messageOf } from '@/api/errors';
import type { DeviceHistory } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import type { History } from '@/lib/history';
import { Card } from '@/ui/Card';
import { Button, Skeleton } from '@/ui/kit';
import { Later } from '@/ui/Later';
import { EmptyNotice, ErrorNotice } from '@/ui/Notice';
import { useSeen } from '@/ui/useSeen';
import classes from './HistoryBlock.module.css';
import { HistoryTable } from './HistoryTable';

const HistoryCharts = lazy(() => import('./HistoryCharts'));

/** Two months of a device, read when somebody looks. */
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
        {seen ? <SeenHistory dsn={dsn} asTable={asTable} /> : <Shape />}
      </Card>
    </div>
  );
}

function SeenHistory({ dsn, asTable }: { dsn: string; asTable: boolean }) {
  const query = useQuery(deviceHistoryQuery(dsn));
  const history = useMemo(() => query.data && stepsOf(query.data), [query.data]);
  if (!history) {
    if (!query.isError) return <Loading />;
    const retry = () => void query.refetch();
    return <ErrorNotice title={t.history.failed} reason={messageOf(query.error)} onRetry={retry} />;
  }
  if (isEmpty(history)) return <EmptyNotice title={t.history.empty} text={t.history.emptyHint} />;
  const table = <HistoryTable history={history} />;
  if (asTable) return table;
  return (
    // Code that cannot be fetched takes the picture away, not what it shows.
    <Later shape={<Loading />} failed={table}>
      <HistoryCharts history={history} />
    </Later>
  );
}

function Loading() {
  return (
    <div aria-busy="true" role="status" aria-label={t.history.loading}>
      <Shape />
    </div>
  );
}

/** Of the charts that will stand here. */
function Shape() {
  return (
    <div className={classes.shape}>
      <Skeleton height={160} />
      <Skeleton height={130} />
      <Skeleton height={90} />
    </div>
  );
}

function stepsOf({ from, to, level, intensity, status }: DeviceHistory): History {
  const online = status?.map(({ at, online }) => ({ at, value: online ? 1 : 0 })) ?? null;
  return { from, to, level, intensity, online };
}

function isEmpty({ level, intensity, online }: History): boolean {
  return level.length === 0 && intensity.length === 0 && (online ?? []).length === 0;
}
