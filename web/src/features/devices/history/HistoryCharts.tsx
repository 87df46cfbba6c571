import { IconDroplet, IconSend } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { t } from '@/i18n/en';
import { type History, type Mark, pointsOf, type Step, valueAt } from '@/lib/history';
import { epochMs, instant } from '@/lib/instant';
import { dateTime, hourText, monthDay } from '@/lib/time';
import type { Zone } from '@/lib/time-zone';
import { Stack } from '@/ui/kit';
import { type ChartMark, StepChart, type TimeAxis } from '@/ui/StepChart';
import { TimeCursor } from '@/ui/TimeCursor';
import { useZone } from '@/ui/zone-context';
import classes from './HistoryCharts.module.css';

const percent = (value: number) => `${value}%`;
const connectionText = (value: number) => t.history.connections[value] ?? '';

const ICON_PX = 16;
const ICONS = {
  command: <IconSend size={ICON_PX} aria-hidden="true" />,
  refill: <IconDroplet size={ICON_PX} aria-hidden="true" />,
};
const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
const HOUR_STEPS = [1, 2, 3, 6, 12].map((hours) => hours * HOUR_S);
const DAY_STEPS = [1, 2, 5, 10, 15, 30].map((days) => days * DAY_S);
/** Marks within this part of the range around the cursor are described with its values. */
const NEARBY = 0.01;

/** Three stacked charts with a shared time axis and cursor. Only they load the chart library. */
export default function HistoryCharts({ history }: { history: History }) {
  const { from, to, level, intensity, online, marks } = history;
  const [cursor, setCursor] = useState<number>();
  const zone = useZone();
  const span = useMemo(() => [epochMs(from) / 1000, epochMs(to) / 1000] as const, [from, to]);
  const shared = { span, to, cursor, onCursor: setCursor };
  const nearby = cursor === undefined ? [] : marksNear(marks, cursor, span);
  const [refills, commands] = [marksOf(marks, 'refill'), marksOf(marks, 'command')];
  return (
    <Stack gap="lg">
      <Line
        title={t.history.level}
        steps={level}
        ticks={[0, 50, 100]}
        text={percent}
        height={10}
        marks={refills}
        {...shared}
      />
      <Line
        title={t.history.intensity}
        steps={intensity}
        ticks={[0, 25, 50]}
        text={String}
        height={8}
        marks={commands}
        {...shared}
      />
      {online ? (
        <Line
          title={t.history.connection}
          steps={online}
          ticks={[0, 1]}
          text={connectionText}
          height={5.5}
          marks={[]}
          {...shared}
        />
      ) : (
        <p className={classes.none}>{t.history.noConnections}</p>
      )}
      <TimeCursor
        span={span}
        cursor={cursor}
        onCursor={setCursor}
        valueText={(at) => textAt(history, at, span, zone)}
      />
      <Legend counts={{ command: commands.length, refill: refills.length }} nearby={nearby} />
    </Stack>
  );
}

interface LegendProps {
  counts: Record<Mark['kind'], number>;
  /** The marks at the cursor. */
  nearby: readonly Mark[];
}

/** The marks at the cursor; without a cursor the number of marks of each kind. */
function Legend({ counts: { command, refill }, nearby }: LegendProps) {
  const zone = useZone();
  const texts =
    nearby.length > 0
      ? nearby.map(({ at, kind, text }) => [kind, t.history.at(text, dateTime(instant(at), zone))] as const)
      : [
          ...(command > 0 ? [['command', t.history.commands(command)] as const] : []),
          ...(refill > 0 ? [['refill', t.history.refills(refill)] as const] : []),
        ];
  return (
    <div className={classes.marks}>
      {texts.map(([kind, text]) => (
        <span key={text} className={classes.key}>
          {ICONS[kind]}
          {text}
        </span>
      ))}
    </div>
  );
}

type Span = readonly [from: number, to: number];

function marksOf(marks: readonly Mark[], kind: Mark['kind']): ChartMark[] {
  return marks
    .filter((mark) => mark.kind === kind)
    .map(({ at, text }) => ({ at: epochMs(at) / 1000, icon: ICONS[kind], text }));
}

function marksNear(marks: readonly Mark[], cursor: number, [from, to]: Span): Mark[] {
  return marks.filter(({ at }) => Math.abs(epochMs(at) / 1000 - cursor) <= NEARBY * (to - from));
}

/** Describes the values at a time. */
function textAt({ level, intensity, online, marks }: History, cursor: number, span: Span, zone: Zone): string {
  const value = (title: string, steps: readonly Step[], text: (value: number) => string) => {
    const held = valueAt(steps, cursor * 1000);
    return held === undefined ? [] : [`${title} ${text(held)}`];
  };
  return [
    dateTime(new Date(cursor * 1000), zone),
    ...value(t.history.level, level, percent),
    ...value(t.history.intensity, intensity, String),
    ...value(t.history.connection, online ?? [], connectionText),
    ...marksNear(marks, cursor, span).map(({ text }) => text),
  ].join(', ');
}

function axisOf([from, to]: Span, zone: Zone): TimeAxis {
  const [write, steps] = to - from > DAY_S ? [monthDay, DAY_STEPS] : [hourText, HOUR_STEPS];
  return { zone, text: (time) => write(time, zone), steps };
}

interface LineProps {
  title: string;
  steps: readonly Step[];
  to: string;
  span: Span;
  ticks: number[];
  text: (value: number) => string;
  height: number;
  marks: readonly ChartMark[];
  cursor: number | undefined;
  onCursor: (cursor: number | undefined) => void;
}

function Line({ title, steps, to, span, text, cursor, ...rest }: LineProps) {
  const zone = useZone();
  const { times, values } = useMemo(() => pointsOf(steps, to), [steps, to]);
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined) return <p className={classes.none}>{t.history.noValues(title)}</p>;
  const held = cursor === undefined ? undefined : valueAt(steps, cursor * 1000);
  const reading =
    cursor === undefined
      ? t.history.now(text(last))
      : t.history.at(held === undefined ? t.device.unknown : text(held), dateTime(new Date(cursor * 1000), zone));
  return (
    <StepChart
      title={title}
      label={t.history.chart(title, text(first), text(last))}
      times={times}
      values={values}
      span={span}
      text={text}
      timeAxis={axisOf(span, zone)}
      reading={reading}
      cursor={cursor}
      {...rest}
    />
  );
}
