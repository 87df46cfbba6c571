import type { User } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { Title } from '@/ui/kit';
import { StatusMark } from '@/ui/StatusMark';
import { RemoveUserButton } from './RemoveUserButton';
import { ResetFactorButton } from './ResetFactorButton';
import { ResetPasswordButton } from './ResetPasswordButton';
import classes from './UserHeader.module.css';

interface Props {
  /** Undefined while loading. */
  user: User | undefined;
  onRemoved: () => Promise<void>;
}

export function UserHeader({ user, onRemoved }: Props) {
  return (
    <div className={classes.header}>
      <div className={classes.line}>
        <Title order={1} size={26}>
          {t.userForm.editTitle}
        </Title>
        {user && (
          <StatusMark online={user.confirmed} label={user.confirmed ? t.userForm.confirmed : t.userForm.unconfirmed} />
        )}
      </div>
      <div className={classes.actions}>
        {user?.can.edit && <ResetFactorButton user={user} />}
        {user?.can.resetPassword && <ResetPasswordButton user={user} />}
        {user?.can.edit && <RemoveUserButton user={user} onRemoved={onRemoved} />}
      </div>
    </div>
  );
}
