import { type ReactNode, useMemo, useState } from 'react';
import type { FleetDay, FleetHistory, FleetLevels, FleetUse } from '@/api/schema.gen';
import { hourText, monthDay } from '@/browser/time';
import { dayStart, daysOf, hoursOf, rangeOf, type Spans, stacked, weeksOf } from '@/domain/fleet';
import { numberText } from '@/domain/number-text';
import { t } from '@/i18n/en';
import type { ChartSeries } from '@/ui/charts/SeriesChart';
import { Button, Skeleton } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { Table, type TableColumn } from '@/ui/layout/Table';
import { lazyPart } from '@/ui/notices/lazy-part';
import classes from './FleetPage.module.css';

/** Only the charts load the chart library. */
const SeriesChart = lazyPart(
  async () => (await import('@/ui/charts/SeriesChart')).SeriesChart,
  <Skeleton height="16rem" />,
);

const ZONE = 'UTC';
const DAY_S = 86_400;
const COLORS = Array.from({ length: 8 }, (_, place) => `var(--series-${place + 1})`);
const REST = 'var(--series-rest)';
const LEVELS = [
  ['empty', 'var(--bad)'],
  ['low', 'var(--warn)'],
  ['medium', 'var(--series-6)'],
  ['high', 'var(--good)'],
  ['unknown', REST],
] as const satisfies [keyof FleetLevels, string][];

/** The charts of the fleet, each with a table as its alternative. */
export function FleetBlocks({ history, busy }: { history: FleetHistory; busy: boolean }) {
  const { days, fragrances, customers } = history;
  return (
    <div className={classes.charts} aria-busy={busy}>
      <Online days={days} />
      <Levels days={days} />
      <Refills days={days} />
      {fragrances && <UseByGroup days={days} used={fragrances} texts={t.fleet.fragrances} />}
      {customers && <UseByGroup days={days} used={customers} texts={t.fleet.customers} note={t.fleet.customers.hint} />}
      {!fragrances && !customers && <Use days={days} />}
    </div>
  );
}

function Online({ days }: { days: readonly FleetDay[] }) {
  const spans = useMemo(() => hoursOf(days), [days]);
  const online = t.fleet.online;
  const columns: TableColumn<FleetDay>[] = [
    dayColumn,
    { label: online.devices, cell: ({ devices }) => count(devices), isNumber: true },
    { label: online.least, cell: (day) => count(rangeOf(day.online)?.least), isNumber: true },
    { label: online.mean, cell: (day) => count(rangeOf(day.online)?.mean), isNumber: true },
    { label: online.most, cell: (day) => count(rangeOf(day.online)?.most), isNumber: true },
  ];
  return (
    <Block
      {...online}
      names={[[online.series, 'var(--accent)']]}
      spans={spans}
      text={count}
      cursorText={(seconds) => `${dateText(seconds)}, ${hourText(new Date(seconds * 1000), ZONE)}`}
      table={<DayTable caption={online.title} columns={columns} days={days} />}
    />
  );
}

function Levels({ days }: { days: readonly FleetDay[] }) {
  const spans = useMemo(
    () =>
      daysOf(
        days,
        LEVELS.map(
          ([name]) =>
            ({ levels }: FleetDay) =>
              levels?.[name] ?? null,
        ),
      ),
    [days],
  );
  const levels = t.fleet.levels;
  const columns = LEVELS.map(
    ([name]): TableColumn<FleetDay> => ({
      label: levels[name],
      cell: (day) => count(day.levels?.[name]),
      isNumber: true,
    }),
  );
  return (
    <Block
      {...levels}
      names={LEVELS.map(([name, color]) => [levels[name], color])}
      isStacked
      spans={spans}
      text={count}
      table={<DayTable caption={levels.title} columns={[dayColumn, ...columns]} days={days} />}
    />
  );
}

function Refills({ days }: { days: readonly FleetDay[] }) {
  const weeks = useMemo(() => weeksOf(days), [days]);
  const spans = useMemo(() => {
    const end = (weeks.at(-1)?.start ?? 0) + 7 * DAY_S;
    return { times: [...weeks.map(({ start }) => start), end], series: [weeks.map(({ refills }) => refills)] };
  }, [weeks]);
  const refills = t.fleet.refills;
  return (
    <Block
      {...refills}
      names={[[refills.series, 'var(--accent)']]}
      spans={spans}
      text={count}
      cursorText={(seconds) => `${t.fleet.week} ${dateText(seconds)}`}
      table={
        <Table
          caption={refills.title}
          isTall
          isFocusable
          columns={[
            { label: t.fleet.week, cell: ({ start }) => dateText(start), isRowHeader: true },
            { label: refills.series, cell: ({ refills }) => count(refills), isNumber: true },
          ]}
          rows={weeks.toReversed()}
          rowKey={({ start }) => start}
        />
      }
    />
  );
}

/** The use of one customer, or of one fragrance. */
function Use({ days }: { days: readonly FleetDay[] }) {
  const spans = useMemo(() => daysOf(days, [({ usedMl }: FleetDay) => usedMl]), [days]);
  const used = t.fleet.used;
  const columns: TableColumn<FleetDay>[] = [
    dayColumn,
    { label: used.series, cell: ({ usedMl }) => millilitres(usedMl), isNumber: true },
    { label: used.devices, cell: ({ usedDevices }) => count(usedDevices), isNumber: true },
  ];
  return (
    <Block
      {...used}
      names={[[used.series, 'var(--accent)']]}
      spans={spans}
      text={millilitres}
      table={<DayTable caption={used.title} columns={columns} days={days} />}
    />
  );
}

interface UseProps {
  days: readonly FleetDay[];
  used: FleetUse;
  texts: { title: string; chart: (from: string, to: string) => string; none: string };
  note?: string;
}

function UseByGroup({ days, used, texts, note }: UseProps) {
  const { groups, othersMl } = used;
  const spans = useMemo(
    () =>
      daysOf(days, [
        // Where others are known, a group without a value has used nothing.
        ...groups.map(
          ({ usedMl }) =>
            (_: FleetDay, place: number) =>
              usedMl[place] ?? (othersMl[place] === null ? null : 0),
        ),
        (_: FleetDay, place: number) => othersMl[place] ?? null,
      ]),
    [days, groups, othersMl],
  );
  const colors = useMemo(() => colorsOf(groups.map(({ name }) => name ?? '')), [groups]);
  const names: [string, string][] = [
    ...groups.map(({ name }, place): [string, string] => [name ?? texts.none, colors[place] ?? REST]),
    [t.fleet.others, REST],
  ];
  const columns = names.map(
    ([label], place): TableColumn<FleetDay & { place: number }> => ({
      label,
      cell: (day) => millilitres(spans.series[place]?.[day.place] ?? null),
      isNumber: true,
    }),
  );
  const total: TableColumn<FleetDay> = {
    label: t.fleet.total,
    cell: ({ usedMl }) => millilitres(usedMl),
    isNumber: true,
  };
  return (
    <Block
      {...texts}
      hint={note ? `${t.fleet.used.hint} ${note}` : t.fleet.used.hint}
      names={names}
      isStacked
      spans={spans}
      text={millilitres}
      table={<DayTable caption={texts.title} columns={[dayColumn, total, ...columns]} days={days} />}
    />
  );
}

interface BlockProps {
  title: string;
  hint: string;
  chart: (from: string, to: string) => string;
  /** The names and colors of the series. */
  names: readonly (readonly [name: string, color: string])[];
  isStacked?: boolean;
  spans: Spans;
  text: (value: number | null) => string;
  cursorText?: (seconds: number) => string;
  table: ReactNode;
}

/**
 * A color for each name that does not depend on its rank, so that a fragrance keeps it from week to week. Of two names with the same one, the
 * later in the alphabet takes the next free one.
 */
function colorsOf(names: readonly string[]): string[] {
  const taken = new Map<number, string>();
  for (const name of names.toSorted()) {
    let place = hashOf(name) % COLORS.length;
    while (taken.has(place) && taken.size < COLORS.length) place = (place + 1) % COLORS.length;
    taken.set(place, name);
  }
  const places = new Map([...taken].map(([place, name]) => [name, place]));
  return names.map((name) => COLORS[places.get(name) ?? 0] ?? REST);
}

function hashOf(text: string): number {
  return [...text].reduce((hash, char) => (hash * 31 + (char.codePointAt(0) ?? 0)) % 1_000_003, 7);
}

/** A chart that can be shown as a table. */
function Block({
  title,
  hint,
  chart,
  names,
  isStacked = false,
  spans,
  text,
  cursorText = dateText,
  table,
}: BlockProps) {
  const [asTable, setAsTable] = useState(false);
  const { times } = spans;
  const [edges, series] = useMemo(
    () => [
      isStacked ? stacked(spans.series) : undefined,
      names.map(([name, color], place): ChartSeries => ({ name, color, values: spans.series[place] ?? [] })),
    ],
    [spans, isStacked, names],
  );
  const [from, to] = [times[0] ?? 0, times.at(-1) ?? 0];
  return (
    <Card
      title={title}
      actions={
        <Button variant="subtle" size="compact-sm" onClick={() => setAsTable(!asTable)}>
          {asTable ? t.fleet.asChart : t.fleet.asTable}
        </Button>
      }
    >
      <p className={classes.hint}>{hint}</p>
      {asTable ? (
        table
      ) : (
        // If the chart's code cannot be loaded, the table still shows the data.
        <SeriesChart
          failed={table}
          label={chart(dateText(from), dateText(to))}
          times={times}
          series={series}
          edges={edges}
          text={text}
          timeText={dateText}
          cursorText={cursorText}
        />
      )}
    </Card>
  );
}

const dayColumn: TableColumn<FleetDay> = {
  label: t.fleet.day,
  cell: ({ day }) => dateText(dayStart(day)),
  isRowHeader: true,
};

interface DayTableProps {
  caption: string;
  columns: readonly TableColumn<FleetDay & { place: number }>[];
  days: readonly FleetDay[];
}

/** The days, newest first. */
function DayTable({ caption, columns, days }: DayTableProps) {
  const rows = days.map((day, place) => ({ ...day, place })).toReversed();
  return <Table caption={caption} isTall isFocusable columns={columns} rows={rows} rowKey={({ day }) => day} />;
}

function dateText(seconds: number): string {
  return monthDay(new Date(seconds * 1000), ZONE);
}

function count(value: number | null | undefined): string {
  return value === null || value === undefined ? t.fleet.unknown : numberText(Math.round(value));
}

function millilitres(value: number | null): string {
  if (value === null) return t.fleet.unknown;
  return `${value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 1 : 0 })} mL`;
}
