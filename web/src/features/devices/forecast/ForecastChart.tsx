import { useMemo, useState } from 'react';
import { dateTime, monthDay, nearDay } from '@/browser/time';
import { type Course, courseAt, courseChart } from '@/domain/forecast';
import { instant } from '@/domain/instant';
import { t } from '@/i18n/en';
import { StepChart } from '@/ui/charts/StepChart';
import { TimeCursor } from '@/ui/charts/TimeCursor';
import { useNow } from '@/ui/hooks/useNow';
import { Stack } from '@/ui/kit';
import { useZone } from '@/ui/values/zone-context';

const DAY_S = 24 * 3_600;
const DAY_STEPS = [1, 2, 5, 10, 15, 30, 60, 90, 180, 360].map((days) => days * DAY_S);
/** The lowest level but 0 is the one at which a device is low. */
const TICKS = [0, 20, 50, 100];

const percent = (value: number) => t.devices.percent(String(Math.round(value)));

interface Props {
  course: Course;
  emptyAt: string;
}

/** The level until now, and the expected one with its interval. Loads the chart library. */
export default function ForecastChart({ course, emptyAt }: Props) {
  const [now, zone] = [useNow(), useZone()];
  const [cursor, setCursor] = useState<number>();
  const { times, level, median, least, most } = useMemo(() => courseChart(course), [course]);
  const expected = useMemo(() => ({ median, least, most }), [median, least, most]);
  const span = [times[0] ?? 0, times.at(-1) ?? 1] as const;
  const textAt = (time: number) => {
    const found = courseAt(course, time * 1000);
    if (found === undefined) return t.device.unknown;
    const { level, least, most } = found;
    if (least === undefined || most === undefined) return percent(level);
    return t.forecast.range(percent(level), percent(least), percent(most));
  };
  const reading = (time: number) => t.history.at(textAt(time), dateTime(new Date(time * 1000), zone));
  return (
    <Stack gap="xs">
      <StepChart
        title={t.forecast.level}
        label={t.forecast.chart(nearDay(instant(emptyAt), now, zone))}
        times={times}
        values={level}
        expected={expected}
        span={span}
        ticks={TICKS}
        text={percent}
        timeAxis={{ zone, text: (time) => monthDay(time, zone), steps: DAY_STEPS }}
        height={12}
        reading={cursor === undefined ? t.history.now(percent(course.level)) : reading(cursor)}
        marks={[]}
        cursor={cursor}
        onCursor={setCursor}
      />
      <TimeCursor span={span} cursor={cursor} onCursor={setCursor} valueText={reading} />
    </Stack>
  );
}
