import { Link } from '@tanstack/react-router';
import type { AttentionItem } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';
import rowLink from '@/ui/list/rowLink.module.css';
import { ROW_LINK } from '@/ui/list/useListKeys';
import classes from './Attention.module.css';
import { evidenceText, placeText, sinceText, stateTexts } from './attention-text';

/** Kind, severity, evidence and likely cause. */
export function AttentionWhat({ item, now }: { item: AttentionItem; now: Date }) {
  const { kind, severity, cause, isProvisional } = item;
  const evidence = evidenceText(item, now);
  return (
    <div className={classes.what}>
      <span className={classes.kind}>
        <span className={classes.severity} data-severity={severity}>
          {t.attention.severities[severity]}
        </span>
        <span>{t.attention.kinds[kind]}</span>
      </span>
      {evidence && (
        <p className={classes.soft} {...(isProvisional && { title: t.level.provisionalHint })}>
          {evidence}
        </p>
      )}
      {cause && <p className={classes.soft}>{t.attention.causes[cause]}</p>}
    </div>
  );
}

/** Since when, unless the evidence names another day. */
export function AttentionSince({ item, now }: { item: AttentionItem; now: Date }) {
  const since = sinceText(item, now);
  return since && <p className={classes.soft}>{since}</p>;
}

/** The device and its customer, or the CSP. */
export function AttentionWhere({ item }: { item: AttentionItem }) {
  const { dsn } = item;
  return (
    <div className={classes.what}>
      {dsn && (
        <Link to="/devices/$dsn" params={{ dsn }} className={rowLink.link} {...ROW_LINK}>
          {dsn}
        </Link>
      )}
      <p className={classes.soft}>{placeText(item)}</p>
    </div>
  );
}

interface StateProps {
  item: AttentionItem;
  now: Date;
  /** Undefined where the comments are shown anyway. */
  onComments?: (item: AttentionItem) => void;
}

/** What people have done about the item. */
export function AttentionState({ item, now, onComments }: StateProps) {
  return (
    <div className={classes.what}>
      {stateTexts(item, now).map((text) => (
        <p key={text} className={classes.soft}>
          {text}
        </p>
      ))}
      {onComments && item.comments > 0 && (
        <Button className={classes.comment} size="compact-sm" variant="subtle" onClick={() => onComments(item)}>
          {t.attention.comments(item.comments)}
        </Button>
      )}
    </div>
  );
}
