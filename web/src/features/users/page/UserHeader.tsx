import type { User } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { Text, Title } from '@/ui/kit';
import { StatusMark } from '@/ui/values/StatusMark';
import { lastSignIn, nameOf, twoStep } from '../user-words';
import { DisableUserButton } from './DisableUserButton';
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
          {user ? t.userForm.editTitleOf(nameOf(user)) : t.userForm.editTitle}
        </Title>
        {user && (
          <>
            {user.disabled && <StatusMark online={false} label={t.users.disabled} />}
            <StatusMark
              online={user.confirmed}
              label={user.confirmed ? t.userForm.confirmed : t.userForm.unconfirmed}
            />
            <Text span c="dimmed" size="sm">
              {`${lastSignIn(user)} · ${twoStep(user)}`}
            </Text>
          </>
        )}
      </div>
      <div className={classes.actions}>
        {user?.can.resetSecondFactor && <ResetFactorButton user={user} />}
        {user?.can.resetPassword && <ResetPasswordButton user={user} />}
        {user?.can.edit && <DisableUserButton user={user} />}
        {user?.can.edit && <RemoveUserButton user={user} onRemoved={onRemoved} />}
      </div>
    </div>
  );
}
