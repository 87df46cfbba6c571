import { t } from '@/i18n/en';
import { byDay, type History } from '@/lib/history';
import { instant } from '@/lib/instant';
import { clockTime, monthDay } from '@/lib/time';
import { Table, type TableColumn } from '@/ui/Table';

type Day = ReturnType<typeof byDay>[number];

/** The history by day, for users who cannot see the charts or want numbers. */
export function HistoryTable({ history }: { history: History }) {
  return (
    <Table
      caption={t.history.table}
      hint={t.history.tableHint}
      isTall
      isFocusable
      columns={columns(history)}
      rows={byDay(history)}
      rowKey={({ start }) => start.getTime()}
    />
  );
}

function columns({ online, marks }: History): TableColumn<Day>[] {
  const columns: TableColumn<Day>[] = [
    { label: t.history.day, cell: ({ start }) => monthDay(start), isRowHeader: true },
    { label: t.history.levelOfDay, cell: ({ level }) => percentText(level) },
    {
      label: t.history.intensityOfDay,
      cell: ({ intensity }) => (intensity === null ? t.device.unknown : rangeText(intensity)),
    },
  ];
  if (online !== null) {
    columns.push({
      label: t.history.onlineOfDay,
      cell: ({ online }) => percentText(online === null ? null : Math.round(online * 100)),
    });
  }
  if (marks.length > 0) columns.push({ label: t.history.eventsOfDay, cell: Events, isWide: true });
  return columns;
}

function Events({ marks }: Day) {
  return marks.map(({ at, text }) => (
    <div key={`${at} ${text}`}>{t.history.eventAt(clockTime(instant(at)), text)}</div>
  ));
}

function percentText(percent: number | null): string {
  return percent === null ? t.device.unknown : `${percent}%`;
}

function rangeText({ least, most }: { least: number; most: number }): string {
  return least === most ? String(least) : t.history.range(least, most);
}
