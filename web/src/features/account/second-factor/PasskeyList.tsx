import type { Passkey } from '@/api/schema.gen';
import { ago, dateTime } from '@/browser/time';
import { instant } from '@/domain/instant';
import { t } from '@/i18n/en';
import { useNow } from '@/ui/hooks/useNow';
import { Button, Group } from '@/ui/kit';
import classes from '../OwnList.module.css';

interface Props {
  passkeys: readonly Passkey[];
  onRename: (passkey: Passkey) => void;
  onRemove: (passkey: Passkey) => void;
}

export function PasskeyList({ passkeys, onRename, onRemove }: Props) {
  const now = useNow();
  return (
    <ul className={classes.list} aria-label={t.passkeys.title}>
      {passkeys.map((passkey) => (
        <li key={passkey.id}>
          <div className={classes.what}>
            <strong>{passkey.name}</strong>
            <span className={classes.rest}>{t.passkeys.addedAt(dateTime(instant(passkey.addedAt)))}</span>
            <span className={classes.rest}>
              {passkey.lastUsedAt === null
                ? t.passkeys.unused
                : t.passkeys.usedAt(ago(instant(passkey.lastUsedAt), now))}
            </span>
          </div>
          <Group gap="xs">
            <Button variant="default" aria-label={t.passkeys.renameOf(passkey.name)} onClick={() => onRename(passkey)}>
              {t.passkeys.rename}
            </Button>
            <Button variant="default" aria-label={t.passkeys.removeOf(passkey.name)} onClick={() => onRemove(passkey)}>
              {t.passkeys.remove}
            </Button>
          </Group>
        </li>
      ))}
    </ul>
  );
}
