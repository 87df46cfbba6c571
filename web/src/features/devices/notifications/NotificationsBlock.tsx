import { IconBellPlus } from '@tabler/icons-react';
import { lazy, useState } from 'react';
import type { DeviceDetail, DeviceNotification } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { Card } from '@/ui/Card';
import { Dialog } from '@/ui/Dialog';
import { Button, Skeleton, Stack, Text } from '@/ui/kit';
import { Later } from '@/ui/Later';
import { NotificationRows } from './NotificationRows';
import { useRemoveNotification } from './useRemoveNotification';

const NotificationFields = lazy(() => import('./NotificationFields'));

/** Who is told when something happens to the device. */
export function NotificationsBlock({ device: { dsn, notifications, can } }: { device: DeviceDetail }) {
  const [edited, setEdited] = useState<DeviceNotification>();
  const [opened, setOpened] = useState(false);
  const remove = useRemoveNotification(dsn);
  const open = (notification?: DeviceNotification) => {
    setEdited(notification);
    setOpened(true);
  };
  const close = () => setOpened(false);
  return (
    <Card
      title={t.notifications.title}
      actions={
        can.edit && (
          <Button
            variant="default"
            leftSection={<IconBellPlus size={18} aria-hidden="true" />}
            aria-haspopup="dialog"
            onClick={() => open()}
          >
            {t.notifications.add}
          </Button>
        )
      }
    >
      {notifications.length === 0 ? (
        <Text c="dimmed">{t.notifications.empty}</Text>
      ) : (
        <NotificationRows
          notifications={notifications}
          actions={can.edit ? { edit: open, remove: remove.mutate, removing: remove.isPending } : undefined}
        />
      )}
      <Dialog title={edited ? t.notifications.editTitle : t.notifications.add} opened={opened} onClose={close}>
        <Later shape={<FieldsSkeleton />}>
          <NotificationFields dsn={dsn} edited={edited} onClose={close} />
        </Later>
      </Dialog>
    </Card>
  );
}

function FieldsSkeleton() {
  return (
    <Stack gap="lg" role="status" aria-busy="true" aria-label={t.notifications.loading}>
      <Skeleton height={60} />
      <Skeleton height={60} />
      <Skeleton height={150} />
    </Stack>
  );
}
