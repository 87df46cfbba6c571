import type { PointerEvent, ReactNode } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { shownZone, type Zone } from '@/domain/time-zone';
import { colorOf, sizeOf, useChart } from './chart-canvas';
import classes from './StepChart.module.css';

/** Font size in rem. */
const FONT_SIZE = 0.75;
/** Width of the left axis in rem, as in the style sheet; the same for all, so that stacked charts share a time axis. */
const LEFT_AXIS = 3.5;
const BOTTOM_AXIS = 2;
/** Minimum width of a date in rem. */
const TIME_SPACE = 3.125;
const RIGHT_PADDING = 16;
/** Positions of the ends of the interval among the series. */
const [LEAST, MOST] = [3, 4];

/** The labels of a time axis. */
export interface TimeAxis {
  /** Whose hours and days are written. */
  zone: Zone;
  text: (time: Date) => string;
  /** Possible intervals between labels in seconds; the shortest one that fits is used. */
  steps: number[];
}

/** A mark at a time. */
export interface ChartMark {
  /** Seconds since 1970. */
  at: number;
  icon: ReactNode;
  text: string;
}

interface Props {
  title: string;
  /** Describes the chart for screen readers. */
  label: string;
  /** Seconds since 1970. */
  times: number[];
  /** Null without a value. */
  values: (number | null)[];
  /** Intervals in which the value is unknown, in seconds since 1970. */
  unknown?: readonly { from: number; to: number }[];
  /** Expected values at the same times, with the ends of their interval. */
  expected?: { median: (number | null)[]; least: (number | null)[]; most: (number | null)[] };
  /** Beginning and end of the chart in seconds since 1970, even without data there. */
  span: readonly [from: number, to: number];
  /** The ticks of the vertical axis; the first and the last are its ends. */
  ticks: number[];
  /** Formats a value. */
  text: (value: number) => string;
  timeAxis: TimeAxis;
  /** Height in rem, so that it grows with the text. */
  height: number;
  /** The value shown beside the title: the current one, or the one at the cursor. */
  reading: string;
  marks: readonly ChartMark[];
  /** Position of the cursor in seconds since 1970; undefined without a cursor. */
  cursor: number | undefined;
  onCursor: (cursor: number | undefined) => void;
}

/** A chart of values over time, each of which holds until the next one, and of expected values, which change evenly. Mouse and touch move the cursor. */
export function StepChart(props: Props) {
  const { title, label, times, values, unknown = [], expected, span, height, reading, marks, cursor, onCursor } = props;
  const [from, to] = span;
  const draw = (element: HTMLElement) => {
    const curves = expected ? [expected.median, expected.least, expected.most] : [];
    return new uPlot(optionsOf(props, element), [times, values, ...curves], element);
  };
  const host = useChart(draw, [times, values, expected, from, to, height, props.timeAxis.zone]);

  const point = ({ clientX, currentTarget }: PointerEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const share = Math.min(Math.max((clientX - left) / width, 0), 1);
    onCursor(from + share * (to - from));
  };
  /** Hides the cursor when the mouse leaves; lifting a finger keeps it. */
  const leave = ({ pointerType }: PointerEvent<HTMLElement>) => {
    if (pointerType === 'mouse') onCursor(undefined);
  };
  const left = (at: number) => `${((at - from) / (to - from)) * 100}%`;

  return (
    <div>
      <div className={classes.head}>
        <h3 className={classes.title}>{title}</h3>
        <span className={classes.reading}>{reading}</span>
      </div>
      <div className={classes.frame}>
        <div ref={host} className={classes.chart} style={{ height: `${height}rem` }} role="img" aria-label={label} />
        <div
          className={classes.plot}
          aria-hidden="true"
          onPointerDown={point}
          onPointerMove={point}
          onPointerLeave={leave}
        >
          {unknown.map((one) => (
            <span
              key={one.from}
              className={classes.unknown}
              data-unknown="true"
              style={{ left: left(one.from), width: `${((one.to - one.from) / (to - from)) * 100}%` }}
            />
          ))}
          {marks.map(({ at, icon, text }) => (
            <span key={`${at} ${text}`} className={classes.mark} style={{ left: left(at) }}>
              {icon}
            </span>
          ))}
          {cursor !== undefined && <span className={classes.cursor} style={{ left: left(cursor) }} />}
        </div>
      </div>
    </div>
  );
}

function optionsOf({ expected, span, ticks, text, timeAxis }: Props, element: HTMLElement): uPlot.Options {
  const soft = colorOf(element, 'var(--ink-soft)');
  const accent = colorOf(element, 'var(--accent)');
  const faint = colorOf(element, 'color-mix(in srgb, var(--accent) 14%, transparent)');
  const grid = { stroke: colorOf(element, 'var(--line)'), width: 1 };
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const font = `${FONT_SIZE * rem}px 'Inter Variable', system-ui, sans-serif`;
  const axis = { stroke: soft, font, ticks: { show: false } };
  const [least = 0, most = 1] = [ticks[0], ticks.at(-1)];
  const zone = shownZone(timeAxis.zone);
  return {
    ...sizeOf(element),
    padding: [(FONT_SIZE * rem) / 1.5, RIGHT_PADDING, 0, 0],
    ...(zone && { tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone) }),
    legend: { show: false },
    scales: { x: { time: true, range: () => [...span] }, y: { range: () => [least, most] } },
    axes: [
      {
        ...axis,
        size: BOTTOM_AXIS * rem,
        space: TIME_SPACE * rem,
        gap: 10,
        grid: { show: false },
        incrs: timeAxis.steps,
        values: (_, splits) => splits.map((time) => timeAxis.text(new Date(time * 1000))),
      },
      { ...axis, size: LEFT_AXIS * rem, grid, splits: () => ticks, values: (_, splits) => splits.map(text) },
    ],
    series: [
      {},
      {
        stroke: accent,
        fill: faint,
        width: 2,
        points: { show: false },
        paths: uPlot.paths.stepped?.({ align: 1 }),
      },
      ...(expected ? [line(accent, [6, 4]), line('transparent'), line('transparent')] : []),
    ],
    ...(expected && { bands: [{ series: [MOST, LEAST], fill: faint }] }),
    cursor: { show: false },
  };
}

function line(stroke: string, dash: number[] = []): uPlot.Series {
  return { stroke, dash, width: 2, points: { show: false } };
}
