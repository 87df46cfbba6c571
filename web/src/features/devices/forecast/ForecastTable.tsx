import { nearDay } from '@/browser/time';
import type { CoursePoint } from '@/domain/forecast';
import { instant } from '@/domain/instant';
import { t } from '@/i18n/en';
import { useNow } from '@/ui/hooks/useNow';
import { Table, type TableColumn } from '@/ui/layout/Table';
import { useZone } from '@/ui/values/zone-context';

/** When each level is reached, for users who cannot see the chart or want dates. The table of the history has the past. */
export function ForecastTable({ course }: { course: readonly CoursePoint[] }) {
  const [now, zone] = [useNow(), useZone()];
  const day = (at: string | null) => (at === null ? t.forecast.beyond : nearDay(instant(at), now, zone));
  const columns: TableColumn<CoursePoint>[] = [
    { label: t.forecast.level, cell: ({ percent }) => t.devices.percent(String(percent)), isRowHeader: true },
    { label: t.forecast.earliest, cell: ({ earliest }) => day(earliest) },
    { label: t.forecast.median, cell: ({ median }) => day(median) },
    { label: t.forecast.latest, cell: ({ latest }) => day(latest) },
  ];
  return (
    <Table
      caption={t.forecast.table}
      hint={t.forecast.tableHint}
      isTall
      isFocusable
      columns={columns}
      rows={course}
      rowKey={({ percent }) => percent}
    />
  );
}
