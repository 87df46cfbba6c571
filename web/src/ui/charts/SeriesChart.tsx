import { type PointerEvent, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { colorOf, sizeOf, useChart } from './chart-canvas';
import classes from './SeriesChart.module.css';

/** Font size in rem. */
const FONT_SIZE = 0.75;
/** Width of the left axis and height of the bottom axis in rem, as in the style sheet. */
const LEFT_AXIS = 3.5;
const BOTTOM_AXIS = 2;
/** Minimum width of a date in rem. */
const TIME_SPACE = 3.5;
const RIGHT_PADDING = 16;
const DAY_S = 86_400;
/** Possible intervals between labels of the time axis. */
const TIME_STEPS = [1, 2, 7, 14, 28, 91].map((days) => days * DAY_S);

export interface ChartSeries {
  name: string;
  /** A color of CSS. */
  color: string;
  /** One for each span of time; null if it is unknown. */
  values: readonly (number | null)[];
}

interface Props {
  /** Describes the chart for screen readers. */
  label: string;
  /** The beginnings of the spans, and the end of the last one, in seconds since 1970. Days are those of UTC. */
  times: readonly number[];
  series: readonly ChartSeries[];
  /** The upper edge of each series, if they are stacked. */
  edges?: readonly (readonly (number | null)[])[] | undefined;
  /** Formats a value. */
  text: (value: number | null) => string;
  /** Formats a time of the axis, and that of the cursor. */
  timeText: (seconds: number) => string;
  cursorText: (seconds: number) => string;
}

/** A chart of values that hold for a span of time. Unknown ones leave a gap. Mouse and touch show the values of a span. */
export function SeriesChart(props: Props) {
  const { label, times, series, edges, text, cursorText } = props;
  const [cursor, setCursor] = useState<number>();
  const draw = (element: HTMLElement) => new uPlot(optionsOf(props, element), dataOf(props), element);
  const host = useChart(draw, [times, series, edges]);

  const [from = 0, to = 1] = [times[0], times.at(-1)];
  const point = ({ clientX, currentTarget }: PointerEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const at = from + Math.min(Math.max((clientX - left) / width, 0), 1) * (to - from);
    setCursor(
      Math.max(
        0,
        Math.min(
          times.findLastIndex((time) => time <= at),
          times.length - 2,
        ),
      ),
    );
  };
  /** Hides the cursor when the mouse leaves; lifting a finger keeps it. */
  const leave = ({ pointerType }: PointerEvent<HTMLElement>) => {
    if (pointerType === 'mouse') setCursor(undefined);
  };
  // A shorter period may have replaced the one that the cursor was in.
  const place = cursor === undefined || cursor > times.length - 2 ? times.length - 2 : cursor;
  const at = times[place];

  return (
    <div>
      <ul className={classes.legend}>
        {series.map(({ name, color, values }) => (
          <li key={name}>
            <span className={classes.key} style={{ background: color }} />
            <span>{name}</span> <span className={classes.value}>{text(values[place] ?? null)}</span>
          </li>
        ))}
        {at !== undefined && <li className={classes.time}>{cursorText(at)}</li>}
      </ul>
      <div className={classes.frame}>
        <div ref={host} className={classes.chart} role="img" aria-label={label} />
        <div
          className={classes.plot}
          aria-hidden="true"
          onPointerDown={point}
          onPointerMove={point}
          onPointerLeave={leave}
        >
          {cursor !== undefined && at !== undefined && (
            <span className={classes.cursor} style={{ left: `${((at - from) / (to - from)) * 100}%` }} />
          )}
        </div>
      </div>
    </div>
  );
}

/** The last value of each series is repeated at the end of its span. */
function dataOf({ times, series, edges }: Props): uPlot.AlignedData {
  const lines = edges ?? series.map(({ values }) => values);
  return [[...times], ...lines.map((values) => [...values, values.at(-1) ?? null])];
}

function optionsOf({ times, series, edges, timeText }: Props, element: HTMLElement): uPlot.Options {
  const soft = colorOf(element, 'var(--ink-soft)');
  const grid = { stroke: colorOf(element, 'var(--line)'), width: 1 };
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const font = `${FONT_SIZE * rem}px 'Inter Variable', system-ui, sans-serif`;
  const axis = { stroke: soft, font, ticks: { show: false } };
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const isAlone = series.length === 1;
  const fillOf = (color: string, share: number) =>
    colorOf(element, `color-mix(in srgb, ${color} ${share}%, transparent)`);
  return {
    ...sizeOf(element),
    padding: [(FONT_SIZE * rem) / 1.5, RIGHT_PADDING, 0, 0],
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
    legend: { show: false },
    scales: {
      x: { time: true, range: () => [times[0] ?? 0, times.at(-1) ?? 1] },
      y: { range: (_, __, most) => [0, Math.max(1, most * 1.08)] },
    },
    axes: [
      {
        ...axis,
        size: BOTTOM_AXIS * rem,
        space: TIME_SPACE * rem,
        gap: 10,
        grid: { show: false },
        incrs: TIME_STEPS,
        // A label at the end would be cut off.
        values: (_, splits) => splits.map((time) => (time === times.at(-1) ? '' : timeText(time))),
      },
      { ...axis, size: LEFT_AXIS * rem, grid, space: 2.5 * rem },
    ],
    series: [
      {},
      ...series.map(({ color }, place) => ({
        stroke: colorOf(element, color),
        width: edges ? 1 : 2,
        points: { show: false },
        ...(stepped && { paths: stepped }),
        ...(isAlone && { fill: fillOf(color, 14) }),
        ...(edges && place === 0 && { fill: fillOf(color, 60) }),
      })),
    ],
    // Between the edge of each series, counted from 1, and the one below it.
    ...(edges && {
      bands: series.slice(1).map(({ color }, place) => ({
        series: [place + 2, place + 1] as [number, number],
        fill: fillOf(color, 60),
      })),
    }),
    cursor: { show: false },
  };
}
