import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { deviceNotificationsQuery } from '@/api/device-notifications';
import type { DeviceNotification } from '@/api/schema.gen';
import { FRESH } from '@/form/fresh';
import { t } from '@/i18n/en';
import { Button, Group, Stack } from '@/ui/kit';
import { InfoNotice } from '@/ui/Notice';
import { FieldsSkeleton } from './FieldsSkeleton';
import { NotificationFields } from './NotificationFields';

interface Props {
  dsn: string;
  /** Undefined to add a notification. */
  id: string | undefined;
  onClose: () => void;
}

/** The form of the dialog, loaded when it opens, because few visits change a notification. */
export default function OpenedNotification({ id, ...props }: Props) {
  return id ? <FreshNotification id={id} {...props} /> : <NotificationFields edited={undefined} {...props} />;
}

/** The form of a notification that is read again when it opens. */
function FreshNotification({ dsn, id, onClose }: Props & { id: string }) {
  const { data, isFetchedAfterMount } = useQuery({ ...deviceNotificationsQuery(dsn), ...FRESH });
  // Later reads must not end an open form.
  const [opened, setOpened] = useState<DeviceNotification>();
  const current = isFetchedAfterMount ? data?.find((notification) => notification.id === id) : undefined;
  if (current && !opened) setOpened(current);
  if (opened) return <NotificationFields dsn={dsn} edited={opened} onClose={onClose} />;
  if (!isFetchedAfterMount || current) return <FieldsSkeleton />;
  return (
    <Stack gap="lg">
      <InfoNotice text={t.notifications.gone} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t.common.close}
        </Button>
      </Group>
    </Stack>
  );
}
