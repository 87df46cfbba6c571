import { useEffect, useRef } from 'react';
import { dateTime } from '@/browser/time';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';
import classes from './ChangedNotice.module.css';
import type { ChangedFields } from './useChangedFields';
import type { Values } from './useFields';

interface Props<Field extends string> {
  meanwhile: Pick<ChangedFields<Field>, 'changed' | 'keep' | 'take'>;
  /** The fields of the form with the user's values. */
  fields: { labels: Record<Field, string>; values: Values<Field> };
  /** The text of a value, for fields that display another text than the stored value. */
  valueText?: (field: Field, value: string) => string | undefined;
}

/** Shows both values of each field that another person changed meanwhile, and lets the user choose. */
export function ChangedNotice<Field extends string>({ meanwhile, fields, valueText }: Props<Field>) {
  const { changed, keep, take } = meanwhile;
  const root = useRef<HTMLElement>(null);
  const isShown = changed.length > 0;
  // The button that saves may be below the notice, or pinned over it.
  useEffect(() => {
    if (isShown) root.current?.focus();
  }, [isShown]);
  if (!isShown) return null;

  const text = (field: Field, value: string) => valueText?.(field, value) ?? (value || t.form.changed.none);
  return (
    <section ref={root} className={classes.root} tabIndex={-1} aria-label={t.form.changed.title}>
      <p className={classes.title}>{t.form.changed.title}</p>
      {changed.map(([field, { value, by, at }]) => {
        const label = fields.labels[field];
        return (
          <div key={field} className={classes.field}>
            <dl className={classes.values}>
              <dt>{t.form.changed.theirs(label)}</dt>
              <dd>
                <span>{text(field, value ?? '')}</span>
                {at && <span className={classes.author}>{t.form.changed.author(by, dateTime(new Date(at)))}</span>}
              </dd>
              <dt>{t.form.changed.yours(label)}</dt>
              <dd>{text(field, fields.values[field])}</dd>
            </dl>
            <div className={classes.buttons}>
              <Button variant="default" onClick={() => take(field)} aria-label={t.form.changed.takeField(label)}>
                {t.form.changed.take}
              </Button>
              <Button variant="default" onClick={() => keep(field)} aria-label={t.form.changed.keepField(label)}>
                {t.form.changed.keep}
              </Button>
            </div>
          </div>
        );
      })}
    </section>
  );
}
