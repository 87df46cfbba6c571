import { IconAlertTriangle, IconDroplet, IconPencil, IconSend } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { dateTime, hourText, monthDay } from '@/browser/time';
import {
  ACTIVITIES,
  explain,
  type History,
  knownAt,
  knownPoints,
  type Mark,
  offlineSinceAt,
  offlineSpans,
  pointsOf,
  type Step,
  valueAt,
} from '@/domain/history';
import { epochMs, instant } from '@/domain/instant';
import type { Zone } from '@/domain/time-zone';
import { t } from '@/i18n/en';
import { type ChartMark, StepChart, type TimeAxis } from '@/ui/charts/StepChart';
import { TimeCursor } from '@/ui/charts/TimeCursor';
import { Stack } from '@/ui/kit';
import { useZone } from '@/ui/values/zone-context';
import classes from './HistoryCharts.module.css';

const percent = (value: number) => `${value}%`;
const connectionText = (value: number) => t.history.connections[value] ?? '';
const activityText = (value: number) => t.history.activities[value] ?? '';

const ICON_PX = 16;
const ICONS = {
  command: <IconSend size={ICON_PX} aria-hidden="true" />,
  change: <IconPencil size={ICON_PX} aria-hidden="true" />,
  refused: <IconAlertTriangle size={ICON_PX} aria-hidden="true" />,
  unanswered: <IconAlertTriangle size={ICON_PX} aria-hidden="true" />,
  refill: <IconDroplet size={ICON_PX} aria-hidden="true" />,
};
const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
const HOUR_STEPS = [1, 2, 3, 6, 12].map((hours) => hours * HOUR_S);
const DAY_STEPS = [1, 2, 5, 10, 15, 30].map((days) => days * DAY_S);
/** Marks within this part of the range around the cursor are described with its values. */
const NEARBY = 0.01;

/** Stacked charts with a shared time axis and cursor. Only they load the chart library. */
export default function HistoryCharts({ history }: { history: History }) {
  const { from, to, level, activity, intensity, online, marks } = history;
  const [cursor, setCursor] = useState<number>();
  const zone = useZone();
  const span = useMemo(() => [epochMs(from) / 1000, epochMs(to) / 1000] as const, [from, to]);
  const shared = { span, cursor, onCursor: setCursor };
  const nearby = cursor === undefined ? [] : marksNear(marks, cursor, span);
  const marksOf = (chart: Chart) => marks.filter((mark) => chartOf(mark) === chart).map(iconOf);
  return (
    <Stack gap="lg">
      {activity.length > 0 && <Reason history={history} at={cursor ?? span[1]} />}
      <Line
        title={t.history.level}
        steps={level}
        history={history}
        whileOffline="last known"
        ticks={[0, 50, 100]}
        text={percent}
        height={10}
        marks={marksOf('level')}
        {...shared}
      />
      {activity.length > 0 && (
        <Line
          title={t.history.activity}
          steps={activity}
          history={history}
          whileOffline="unknown"
          ticks={Object.values(ACTIVITIES)}
          text={activityText}
          height={8}
          marks={marksOf('activity')}
          {...shared}
        />
      )}
      <Line
        title={t.history.intensity}
        steps={intensity}
        history={history}
        whileOffline="unknown"
        ticks={[0, 25, 50]}
        text={String}
        height={8}
        marks={marksOf('intensity')}
        {...shared}
      />
      {online ? (
        <Line
          title={t.history.connection}
          steps={online}
          history={history}
          whileOffline="known"
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
      <Legend marks={marks} nearby={nearby} />
    </Stack>
  );
}

/** Explains what the device did at a time in seconds, and why. */
function Reason({ history, at }: { history: History; at: number }) {
  const zone = useZone();
  return <p className={classes.reason}>{reasonText(history, at, zone)}</p>;
}

interface LegendProps {
  marks: readonly Mark[];
  /** The marks at the cursor. */
  nearby: readonly Mark[];
}

const COUNTS = [
  ['command', t.history.commands, ['command']],
  ['unanswered', t.history.failures, ['refused', 'unanswered']],
  ['change', t.history.changesMade, ['change']],
  ['refill', t.history.refills, ['refill']],
] as const satisfies [Mark['kind'], (count: number) => string, Mark['kind'][]][];

/** The marks at the cursor; without a cursor the number of marks of each kind. */
function Legend({ marks, nearby }: LegendProps) {
  const zone = useZone();
  const counts = COUNTS.flatMap(([icon, text, kinds]) => {
    const count = marks.filter(({ kind }) => (kinds as readonly Mark['kind'][]).includes(kind)).length;
    return count > 0 ? [[icon, text(count)] as const] : [];
  });
  const texts =
    nearby.length > 0
      ? nearby.map(({ at, kind, text }) => [kind, t.history.at(text, dateTime(instant(at), zone))] as const)
      : counts;
  return (
    <div className={classes.marks}>
      {texts.map(([kind, text]) => (
        <span key={text} className={classes.key}>
          {ICONS[kind]}
          <span>{text}</span>
        </span>
      ))}
    </div>
  );
}

type Span = readonly [from: number, to: number];

type Chart = 'level' | 'activity' | 'intensity';

/** The chart that shows a mark. */
function chartOf({ kind, effect }: Mark): Chart {
  if (kind === 'refill') return 'level';
  return effect !== undefined || kind === 'change' ? 'activity' : 'intensity';
}

function iconOf({ at, kind, text }: Mark): ChartMark {
  return { at: epochMs(at) / 1000, icon: ICONS[kind], text };
}

function marksNear(marks: readonly Mark[], cursor: number, [from, to]: Span): Mark[] {
  return marks.filter(({ at }) => Math.abs(epochMs(at) / 1000 - cursor) <= NEARBY * (to - from));
}

/** Describes the activity at a time in seconds, since when it lasts, and which command led to it. */
function reasonText(history: History, at: number, zone: Zone): string {
  const found = explain(history, at * 1000);
  if (!found) return t.history.noReason;
  const { activity, since, until, cause, offlineSince } = found;
  const time = (at: string) => dateTime(instant(at), zone);
  const stretch = [
    ...(activity === null ? [] : [t.history.reasons[activity]]),
    ...(since === null ? [] : [t.history.since(time(since))]),
    ...(until === null ? [] : [t.history.until(time(until))]),
  ].join(' ');
  return [
    ...(offlineSince === null ? [] : [t.history.offlineSince(time(offlineSince))]),
    ...(activity === null ? [] : [offlineSince === null ? stretch : t.history.lastKnown(stretch)]),
    ...(cause === null ? [] : [t.history.at(cause.text, time(cause.at))]),
  ]
    .map((sentence) => `${sentence}.`)
    .join(' ');
}

/** Describes the values at a time. */
function textAt(history: History, cursor: number, span: Span, zone: Zone): string {
  const { level, intensity, online, marks } = history;
  const value = (title: string, steps: readonly Step[], text: (value: number) => string, known?: History['online']) => {
    const held = knownAt(steps, known ?? null, cursor * 1000);
    return held === undefined ? [] : [`${title} ${text(held)}`];
  };
  const lastLevel = lastKnownText(history, level, percent, cursor, zone);
  return [
    dateTime(new Date(cursor * 1000), zone),
    ...(lastLevel === undefined ? value(t.history.level, level, percent) : [`${t.history.level} ${lastLevel}`]),
    ...value(t.history.intensity, intensity, String, online),
    ...value(t.history.connection, online ?? [], connectionText),
    ...(history.activity.length > 0 ? [reasonText(history, cursor, zone)] : []),
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
  history: History;
  /** What is known of the value while the device is offline. */
  whileOffline: 'known' | 'last known' | 'unknown';
  span: Span;
  ticks: number[];
  text: (value: number) => string;
  height: number;
  marks: readonly ChartMark[];
  cursor: number | undefined;
  onCursor: (cursor: number | undefined) => void;
}

function Line({ title, steps, history, whileOffline, span, text, cursor, ...rest }: LineProps) {
  const zone = useZone();
  const isUnknown = whileOffline === 'unknown';
  const { times, values } = useMemo(
    () => (isUnknown ? knownPoints(steps, history) : pointsOf(steps, history.to)),
    [steps, history, isUnknown],
  );
  const unknown = useMemo(() => (isUnknown ? offlineSpans(history) : []), [history, isUnknown]);
  const textOf = (value: number | null | undefined) => (typeof value === 'number' ? text(value) : t.device.unknown);
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined) return <p className={classes.none}>{t.history.noValues(title)}</p>;
  const time = cursor ?? span[1];
  const lastKnown = whileOffline === 'last known' ? lastKnownText(history, steps, text, time, zone) : undefined;
  const held = knownAt(steps, isUnknown ? history.online : null, time * 1000);
  const reading =
    lastKnown ??
    (cursor === undefined
      ? t.history.now(textOf(last))
      : t.history.at(textOf(held), dateTime(new Date(time * 1000), zone)));
  return (
    <StepChart
      title={title}
      label={t.history.chart(title, textOf(first), textOf(last))}
      times={times}
      values={values}
      unknown={unknown}
      span={span}
      text={text}
      timeAxis={axisOf(span, zone)}
      reading={reading}
      cursor={cursor}
      {...rest}
    />
  );
}

/** The last known value of a device that was offline at a time in seconds, and when that was; undefined if it was not offline. */
function lastKnownText(
  history: History,
  steps: readonly Step[],
  text: (value: number) => string,
  at: number,
  zone: Zone,
): string | undefined {
  const since = offlineSinceAt(history, at * 1000);
  const value = valueAt(steps, at * 1000);
  if (since === null || value === undefined) return undefined;
  return t.history.at(t.history.lastKnown(text(value)), dateTime(instant(since), zone));
}
