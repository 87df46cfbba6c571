import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { deviceForecastQuery } from '@/api/device-forecast';
import { messageOf } from '@/api/errors';
import type { DeviceDetail, DeviceForecast } from '@/api/schema.gen';
import type { Course } from '@/domain/forecast';
import { LOW_PRODUCT_PERCENT } from '@/domain/level';
import { t } from '@/i18n/en';
import { useNow } from '@/ui/hooks/useNow';
import { useSeen } from '@/ui/hooks/useSeen';
import { Button, Skeleton } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { Loading } from '@/ui/notices/Loading';
import { lazyPart } from '@/ui/notices/lazy-part';
import { EmptyNotice, ErrorNotice } from '@/ui/notices/Notice';
import { Facts } from '@/ui/values/Facts';
import { ZoneNote } from '@/ui/values/ZoneNote';
import { useZone } from '@/ui/values/zone-context';
import classes from './ForecastBlock.module.css';
import { ForecastTable } from './ForecastTable';
import { intervalText, mlText } from './forecast-text';

const ForecastChart = lazyPart(async () => (await import('./ForecastChart')).default, <Skeleton height="10rem" />);

/** When the cartridge of a device will be empty, read when it is scrolled into view. */
export function ForecastBlock({ device }: { device: DeviceDetail }) {
  const [ref, seen] = useSeen<HTMLDivElement>();
  const [asTable, setAsTable] = useState(false);
  return (
    <div ref={ref}>
      <Card
        title={t.forecast.title}
        actions={
          <Button variant="subtle" size="compact-sm" onClick={() => setAsTable(!asTable)}>
            {asTable ? t.history.asChart : t.history.asTable}
          </Button>
        }
      >
        {seen ? <LoadedForecast device={device} asTable={asTable} /> : <Shape />}
      </Card>
    </div>
  );
}

function LoadedForecast({ device: { dsn, runsDryAt }, asTable }: { device: DeviceDetail; asTable: boolean }) {
  const query = useQuery(deviceForecastQuery(dsn, runsDryAt));
  if (!query.data) {
    if (!query.isError) return <LoadingShape />;
    const retry = () => void query.refetch();
    return <ErrorNotice title={t.forecast.failed} reason={messageOf(query.error)} onRetry={retry} />;
  }
  return <Content forecast={query.data} asTable={asTable} busy={query.isPlaceholderData} />;
}

interface ContentProps {
  forecast: DeviceForecast;
  asTable: boolean;
  /** The values are still those of another date. */
  busy: boolean;
}

function Content({ forecast, asTable, busy }: ContentProps) {
  const { obstacle, empty, level, levels, from, course } = forecast;
  if (obstacle !== null || empty === null || level === null) {
    const text = obstacle === null ? undefined : t.forecast.because(t.forecast.obstacles[obstacle]);
    return <EmptyNotice title={t.forecast.none} {...(text && { text })} />;
  }
  const shown: Course = { levels, level, from, course };
  const table = <ForecastTable course={course} />;
  return (
    <div aria-busy={busy} className={classes.content}>
      <Dates forecast={forecast} />
      <ZoneNote />
      {asTable ? (
        table
      ) : (
        // If the chart's code cannot be loaded, the table still shows the data.
        <ForecastChart course={shown} emptyAt={empty.median} failed={table} />
      )}
    </div>
  );
}

function Dates({ forecast: { empty, level, low, mlPerWeek, basis } }: { forecast: DeviceForecast }) {
  // A device that is offline reported more, and has likely used it since.
  const isKnown = level !== null && level <= LOW_PRODUCT_PERCENT;
  const [now, zone] = [useNow(), useZone()];
  return (
    <div>
      <Facts
        facts={[
          [t.forecast.runsDry, empty && intervalText(empty, now, zone)],
          [t.forecast.low, low ? intervalText(low, now, zone) : isKnown ? t.forecast.lowAlready : t.forecast.lowLikely],
          [t.forecast.use, mlPerWeek === null ? null : t.forecast.mlPerWeek(mlText(mlPerWeek))],
          [t.forecast.basis, basis && t.forecast.inputs[basis]],
        ]}
      />
      <p className={classes.hint}>{t.forecast.intervalHint}</p>
    </div>
  );
}

function LoadingShape() {
  return (
    <Loading label={t.forecast.loading}>
      <Shape />
    </Loading>
  );
}

/** A placeholder of the height of the content. */
function Shape() {
  return (
    <div className={classes.content}>
      <Skeleton height="9rem" />
      <Skeleton height="12rem" />
    </div>
  );
}
