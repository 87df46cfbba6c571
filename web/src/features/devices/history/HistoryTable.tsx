import { t } from '@/i18n/en';
import { byDay, type History } from '@/lib/history';
import { instant } from '@/lib/instant';
import { clockTime, monthDay } from '@/lib/time';
import classes from './HistoryTable.module.css';

/** The history by day, for users who cannot see the charts or want numbers. */
export function HistoryTable({ history }: { history: History }) {
  const hasOnline = history.online !== null;
  const hasMarks = history.marks.length > 0;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
    <section className={classes.scroll} tabIndex={0} aria-label={t.history.table}>
      <table className={classes.table}>
        <caption className={classes.hint}>{t.history.tableHint}</caption>
        <thead>
          <tr>
            <th scope="col">{t.history.day}</th>
            <th scope="col">{t.history.levelOfDay}</th>
            <th scope="col">{t.history.intensityOfDay}</th>
            {hasOnline && <th scope="col">{t.history.onlineOfDay}</th>}
            {hasMarks && <th scope="col">{t.history.eventsOfDay}</th>}
          </tr>
        </thead>
        <tbody>
          {byDay(history).map(({ start, level, intensity, online, marks }) => (
            <tr key={start.getTime()}>
              <th scope="row">{monthDay(start)}</th>
              <td>{level === null ? t.device.unknown : `${level}%`}</td>
              <td>{intensity === null ? t.device.unknown : rangeText(intensity)}</td>
              {hasOnline && <td>{online === null ? t.device.unknown : `${Math.round(online * 100)}%`}</td>}
              {hasMarks && (
                <td className={classes.events}>
                  {marks.map(({ at, text }) => (
                    <div key={`${at} ${text}`}>{t.history.eventAt(clockTime(instant(at)), text)}</div>
                  ))}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function rangeText({ least, most }: { least: number; most: number }): string {
  return least === most ? String(least) : t.history.range(least, most);
}
