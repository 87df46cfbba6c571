import { clockTime, isForeign, monthDay } from '@/browser/time';
import { byDay, type History } from '@/domain/history';
import { instant } from '@/domain/instant';
import type { TemporalApi } from '@/domain/temporal';
import type { Zone } from '@/domain/time-zone';
import { t } from '@/i18n/en';
import { Table, type TableColumn } from '@/ui/layout/Table';
import { ZonedTime } from '@/ui/values/ZonedTime';
import { useZone } from '@/ui/values/zone-context';

type Day = ReturnType<typeof byDay>[number];

/** The history by day, for users who cannot see the charts or want numbers. */
export function HistoryTable({ history, temporal }: { history: History; temporal: TemporalApi }) {
  const zone = useZone();
  return (
    <Table
      caption={t.history.table}
      hint={t.history.tableHint}
      isTall
      isFocusable
      columns={columns(history, zone)}
      rows={byDay(history, zone, temporal)}
      rowKey={({ start }) => start.getTime()}
    />
  );
}

function columns({ activity, online, marks }: History, zone: Zone): TableColumn<Day>[] {
  const columns: TableColumn<Day>[] = [
    { label: t.history.day, cell: ({ start }) => monthDay(start, zone), isRowHeader: true },
  ];
  // What decides whether it ran is visible on a phone without scrolling sideways.
  if (activity.length > 0) {
    columns.push({
      label: t.history.runningOfDay,
      cell: ({ runningHours }) =>
        runningHours === null ? t.device.unknown : t.history.hours(Math.round(runningHours)),
    });
  }
  if (online !== null) {
    columns.push({
      label: t.history.onlineOfDay,
      cell: ({ online }) => percentText(online === null ? null : Math.round(online * 100)),
    });
  }
  columns.push(
    { label: t.history.levelOfDay, cell: ({ level }) => percentText(level) },
    {
      label: t.history.intensityOfDay,
      cell: ({ intensity }) => (intensity === null ? t.device.unknown : rangeText(intensity)),
    },
  );
  if (marks.length > 0) columns.push({ label: t.history.eventsOfDay, cell: Events, isWide: true });
  return columns;
}

function Events({ marks }: Day) {
  return marks.map(({ at, text }) => (
    <div key={`${at} ${text}`}>
      <EventTime at={instant(at)} /> <span>{text}</span>
    </div>
  ));
}

function percentText(percent: number | null): string {
  return percent === null ? t.device.unknown : `${percent}%`;
}

function EventTime({ at }: { at: Date }) {
  const zone = useZone();
  const time = clockTime(at, zone);
  if (!isForeign(at, zone)) return time;
  return <ZonedTime at={at}>{time}</ZonedTime>;
}

function rangeText({ least, most }: { least: number; most: number }): string {
  return least === most ? String(least) : t.history.range(least, most);
}
