import type { AccountToken } from '@/api/schema.gen';
import { ago, dateTime } from '@/browser/time';
import { instant } from '@/domain/instant';
import { t } from '@/i18n/en';
import { useNow } from '@/ui/hooks/useNow';
import { Button } from '@/ui/kit';
import classes from '../OwnList.module.css';

interface Props {
  tokens: readonly AccountToken[];
  /** The token that is being revoked. */
  revoking: string | undefined;
  onRevoke: (id: string) => void;
}

export function TokenList({ tokens, revoking, onRevoke }: Props) {
  const now = useNow();
  return (
    <ul className={classes.list}>
      {tokens.map(({ id, name, rights, expiresAt, lastUsedAt, address }) => (
        <li key={id}>
          <div className={classes.what}>
            <strong>{name}</strong>
            <span className={classes.rest}>{rights.map((right) => t.account.tokenRights[right]).join(', ')}</span>
            <span className={classes.rest}>{t.account.tokenExpires(dateTime(instant(expiresAt)))}</span>
            <span className={classes.rest}>
              {lastUsedAt === null || address === null
                ? t.account.tokenUnused
                : t.account.tokenUsed(ago(instant(lastUsedAt), now), address)}
            </span>
          </div>
          <Button
            variant="default"
            aria-label={t.account.revokeOf(name)}
            loading={revoking === id}
            onClick={() => onRevoke(id)}
          >
            {t.account.revoke}
          </Button>
        </li>
      ))}
    </ul>
  );
}
