import { type Step, valueAt } from './history';
import { epochMs } from './instant';

/** When a level is reached, in the form of the API. */
export interface CoursePoint {
  percent: number;
  earliest: string;
  median: string;
  /** Null if it is more than three years ahead. */
  latest: string | null;
}

/** The levels of a device in the past and in the future. */
export interface Course {
  levels: readonly Step[];
  /** The level with which the course begins. */
  level: number;
  from: string;
  /** Falling levels. */
  course: readonly CoursePoint[];
}

/** Values at shared times, null where there is none. */
export interface CourseChart {
  /** Seconds since 1970, ascending. */
  times: number[];
  /** The level of the device. */
  level: (number | null)[];
  /** The expected level. */
  median: (number | null)[];
  /** The ends of the interval that holds the level with a probability of 80 percent. */
  least: (number | null)[];
  most: (number | null)[];
}

/** Times in milliseconds with their values. */
type Curve = readonly (readonly [time: number, percent: number])[];

/** Past levels, and curves through the dates at which further levels are reached. */
export function courseChart(course: Course): CourseChart {
  const begin = epochMs(course.from);
  const past = course.levels.filter(({ at }) => epochMs(at) <= begin);
  const [fast, median, slow] = curvesOf(course);
  const ends = [fast, median, slow].flatMap((curve) => curve.map(([time]) => time));
  const times = [...new Set([...past.map(({ at }) => epochMs(at)), ...ends])].sort((a, b) => a - b);
  return {
    times: times.map((time) => time / 1000),
    level: times.map((time) => (time <= begin ? (valueAt(past, time) ?? null) : null)),
    median: times.map((time) => valueOn(median, time)),
    least: times.map((time) => valueOn(fast, time) ?? valueAfter(fast, time)),
    most: times.map((time) => valueOn(slow, time)),
  };
}

/** The level at a time in milliseconds. Of a future time it is the expected one, with its interval. */
export function courseAt(course: Course, time: number): { level: number; least?: number; most?: number } | undefined {
  if (time <= epochMs(course.from)) {
    const level = valueAt(course.levels, time);
    return level === undefined ? undefined : { level };
  }
  const [least, level, most] = curvesOf(course).map((curve) => valueOn(curve, time) ?? valueAfter(curve, time));
  if (typeof level !== 'number') return undefined;
  return { level, least: least ?? 0, most: most ?? level };
}

function curvesOf({ level, from, course }: Course): [fast: Curve, median: Curve, slow: Curve] {
  const curve = (name: 'earliest' | 'median' | 'latest'): Curve => {
    const known = course.flatMap(({ [name]: at, percent }) => (at === null ? [] : [[epochMs(at), percent] as const]));
    return [[epochMs(from), level], ...known];
  };
  return [curve('earliest'), curve('median'), curve('latest')];
}

/** The value on the line between two points of the curve; null outside of it. */
function valueOn(curve: Curve, time: number): number | null {
  const next = curve.findIndex(([at]) => at >= time);
  const [at, percent] = curve[next] ?? [];
  if (at === undefined || percent === undefined) return null;
  if (at === time) return percent;
  const [before, higher] = curve[next - 1] ?? [];
  if (before === undefined || higher === undefined) return null;
  return higher + ((percent - higher) * (time - before)) / (at - before);
}

/** An empty cartridge stays empty. */
function valueAfter(curve: Curve, time: number): number | null {
  const [end, percent] = curve.at(-1) ?? [];
  return end !== undefined && time > end && percent === 0 ? 0 : null;
}
