import { t } from '@/i18n/en';
import classes from './Facts.module.css';

interface Props {
  /** Label and value; an empty value shows as 'Not set'. */
  facts: readonly (readonly [label: string, value: string | number | null | undefined])[];
}

export function Facts({ facts }: Props) {
  return (
    <dl className={classes.facts}>
      {facts.map(([label, value]) => (
        <div key={label} className={classes.fact}>
          <dt>{label}</dt>
          {value === null || value === undefined || value === '' ? (
            <dd className={classes.none}>{t.common.none}</dd>
          ) : (
            <dd>{value}</dd>
          )}
        </div>
      ))}
    </dl>
  );
}
