import { type ReactNode, type Ref, useId } from 'react';
import classes from './Card.module.css';

interface Props {
  ref?: Ref<HTMLElement>;
  title: string;
  /** Buttons to the right of the title. */
  actions?: ReactNode;
  /** Whether scripts can focus it. */
  focusable?: boolean;
  children: ReactNode;
}

export function Card({ ref, title, actions, focusable = false, children }: Props) {
  const id = useId();
  return (
    <section ref={ref} className={classes.card} aria-labelledby={id} {...(focusable && { tabIndex: -1 })}>
      <div className={classes.head}>
        <h2 id={id} className={classes.title}>
          {title}
        </h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** A card without a title, for lists. */
export function Panel({ ref, children }: { ref?: Ref<HTMLDivElement>; children: ReactNode }) {
  return (
    <div ref={ref} className={classes.panel}>
      {children}
    </div>
  );
}
