import type { AccountSession } from '@/api/schema.gen';
import { ago, dateTime } from '@/browser/time';
import { instant } from '@/domain/instant';
import { t } from '@/i18n/en';
import { useNow } from '@/ui/hooks/useNow';
import { Button } from '@/ui/kit';
import classes from '../OwnList.module.css';

interface Props {
  sessions: readonly AccountSession[];
  /** The session that is being ended. */
  ending: string | undefined;
  onEnd: (id: string) => void;
}

export function SessionList({ sessions, ending, onEnd }: Props) {
  const now = useNow();
  return (
    <ul className={classes.list}>
      {sessions.map(({ id, current, browser, address, createdAt, lastUsedAt }) => {
        const name = browser ?? t.account.unknownBrowser;
        return (
          <li key={id}>
            <div className={classes.what}>
              <strong>{name}</strong>
              {address && <span className={classes.rest}>{address}</span>}
              <span className={classes.rest}>{t.account.signedIn(dateTime(instant(createdAt)))}</span>
              <span className={classes.rest}>{t.account.lastUsed(ago(instant(lastUsedAt), now))}</span>
            </div>
            {current ? (
              <span className={classes.current}>{t.account.thisSession}</span>
            ) : (
              <Button
                variant="default"
                aria-label={t.account.endOf([name, address].filter(Boolean).join(', '))}
                loading={ending === id}
                onClick={() => onEnd(id)}
              >
                {t.account.end}
              </Button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
