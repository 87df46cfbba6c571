import { useNavigate } from '@tanstack/react-router';
import { useDeviceEvents } from '@/api/live/live';
import { t } from '@/i18n/en';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Stack, Title } from '@/ui/kit';
import { WarningNotice } from '@/ui/notices/Notice';
import { ToUsers } from '../ToUsers';
import { UserForm } from './UserForm';
import { UserFormSkeleton } from './UserFormSkeleton';
import { useUserFormChoices } from './useUserFormChoices';

export function InviteUserPage() {
  usePageTitle(t.userForm.inviteTitle);
  // No devices are followed, but the stream also reports the end of the session.
  useDeviceEvents([]);
  const navigate = useNavigate();
  const formChoices = useUserFormChoices();
  return (
    <Stack gap="md">
      <Title order={1} size={26}>
        {t.userForm.inviteTitle}
      </Title>
      {formChoices ? (
        <UserForm
          formChoices={formChoices}
          notice={<WarningNotice text={t.userForm.hour} />}
          cancel={<ToUsers>{t.common.cancel}</ToUsers>}
          onSaved={(id, isDone) =>
            void navigate({
              ...(isDone ? { to: '/users' } : { to: '/users/$id', params: { id } }),
              ignoreBlocker: true,
            })
          }
        />
      ) : (
        <UserFormSkeleton />
      )}
    </Stack>
  );
}
