import { useMemo } from 'react';
import { t } from '@/i18n/en';
import { type History, pointsOf, type Step } from '@/lib/history';
import { Stack } from '@/ui/kit';
import { StepChart } from '@/ui/StepChart';
import classes from './HistoryCharts.module.css';

const percent = (value: number) => `${value}%`;

/** Three charts below each other, on one time line. The only ones that load the chart library. */
export default function HistoryCharts({ history }: { history: History }) {
  const { level, intensity, online } = history;
  return (
    <Stack gap="lg">
      <Line title={t.history.level} steps={level} history={history} ticks={[0, 50, 100]} text={percent} height={160} />
      <Line
        title={t.history.intensity}
        steps={intensity}
        history={history}
        ticks={[0, 25, 50]}
        text={String}
        height={130}
      />
      {online ? (
        <Line
          title={t.history.connection}
          steps={online}
          history={history}
          ticks={[0, 1]}
          text={(value) => t.history.connections[value] ?? ''}
          height={90}
        />
      ) : (
        <p className={classes.none}>{t.history.noConnections}</p>
      )}
    </Stack>
  );
}

interface LineProps {
  title: string;
  steps: readonly Step[];
  history: History;
  ticks: number[];
  text: (value: number) => string;
  height: number;
}

function Line({ title, steps, history: { from, to }, ticks, text, height }: LineProps) {
  const { times, values } = useMemo(() => pointsOf(steps, to), [steps, to]);
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined) return <p className={classes.none}>{t.history.noValues(title)}</p>;
  return (
    <StepChart
      title={title}
      label={t.history.chart(title, text(first), text(last))}
      times={times}
      values={values}
      span={[Date.parse(from) / 1000, Date.parse(to) / 1000]}
      ticks={ticks}
      text={text}
      height={height}
      idle={t.history.now(text(last))}
      reading={t.history.at}
      group="history"
    />
  );
}
