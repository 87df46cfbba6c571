import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { dateTime, monthDay } from '@/lib/time';
import classes from './StepChart.module.css';

/** In root font sizes. */
const FONT_SIZE = 0.75;
/** In root font sizes; the same for all, so that charts below each other have their days below each other. */
const LEFT_AXIS = 3.5;
const BOTTOM_AXIS = 2;
/** In root font sizes: the room that a date needs. */
const DATE_SPACE = 3.125;
const RIGHT_PADDING = 16;

interface Props {
  title: string;
  /** The whole picture in words, for a reader who sees none. */
  label: string;
  /** Seconds since 1970. */
  times: number[];
  values: number[];
  /** Seconds since 1970: where the chart begins and ends, whatever is known. */
  span: readonly [from: number, to: number];
  /** The marks of the upright axis; the first and the last are its ends. */
  ticks: number[];
  /** How a value is written. */
  text: (value: number) => string;
  /** Pixels. */
  height: number;
  /** What stands at the title while nobody points at the chart. */
  idle: string;
  /** How a value is read at a time. */
  reading: (value: string, time: string) => string;
  /** Charts with the same one point at the same time. */
  group: string;
}

/** Values that hold until the next one, over time. */
export function StepChart(props: Props) {
  const { title, label, times, values, height, idle, reading, text } = props;
  const host = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<{ at: number; value: number }>();
  const draw = useEffectEvent((element: HTMLElement) => {
    return new uPlot(optionsOf(props, element, setPointed), [times, values], element);
  });
  // Its colors are painted, so another scheme is another chart.
  const scheme = useComputedColorScheme();

  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme is read from the style sheet
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const chart = draw(element);
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [times, values, height, scheme]);

  return (
    <div>
      <div className={classes.head}>
        <h3 className={classes.title}>{title}</h3>
        <span className={classes.reading}>
          {pointed ? reading(text(pointed.value), dateTime(new Date(pointed.at * 1000))) : idle}
        </span>
      </div>
      <div ref={host} className={classes.chart} style={{ height }} role="img" aria-label={label} />
    </div>
  );
}

function optionsOf(
  { times, values, span, ticks, text, height, group }: Props,
  element: HTMLElement,
  onPoint: (pointed: { at: number; value: number } | undefined) => void,
): uPlot.Options {
  const soft = colorOf(element, 'var(--ink-soft)');
  const grid = { stroke: colorOf(element, 'var(--line)'), width: 1 };
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const font = `${FONT_SIZE * rem}px 'Inter Variable', system-ui, sans-serif`;
  const axis = { stroke: soft, font, ticks: { show: false } };
  const [least = 0, most = 1] = [ticks[0], ticks.at(-1)];
  /** The one that holds at this time: the last that is not later. */
  const placeAt = (time: number) => times.findLastIndex((one) => one <= time);
  return {
    width: element.clientWidth,
    height,
    padding: [(FONT_SIZE * rem) / 1.5, RIGHT_PADDING, 0, 0],
    legend: { show: false },
    scales: { x: { time: true, range: () => [...span] }, y: { range: () => [least, most] } },
    axes: [
      {
        ...axis,
        size: BOTTOM_AXIS * rem,
        space: DATE_SPACE * rem,
        gap: 10,
        grid: { show: false },
        values: (_, splits) => splits.map((time) => monthDay(new Date(time * 1000))),
      },
      { ...axis, size: LEFT_AXIS * rem, grid, splits: () => ticks, values: (_, splits) => splits.map(text) },
    ],
    series: [
      {},
      {
        stroke: colorOf(element, 'var(--accent)'),
        fill: colorOf(element, 'color-mix(in srgb, var(--accent) 14%, transparent)'),
        width: 2,
        points: { show: false },
        paths: uPlot.paths.stepped?.({ align: 1 }),
      },
    ],
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false }, sync: { key: group } },
    hooks: {
      setCursor: [
        ({ cursor: { left }, posToVal }) => {
          const at = left === undefined || left < 0 ? undefined : posToVal(left, 'x');
          const value = at === undefined ? undefined : values[placeAt(at)];
          onPoint(at === undefined || value === undefined ? undefined : { at, value });
        },
      ],
    },
  };
}

/** A color as a canvas takes it, which knows no custom properties. */
function colorOf(element: HTMLElement, color: string): string {
  element.style.color = color;
  const computed = getComputedStyle(element).color;
  element.style.color = '';
  return computed;
}
