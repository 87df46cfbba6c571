import { IconBellPlus } from '@tabler/icons-react';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { deviceNotificationsQuery, forgetRemoval, type Removal, removalsQuery } from '@/api/device-notifications';
import { messageOf } from '@/api/errors';
import type { DeviceDetail, DeviceNotification } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { Dialog } from '@/ui/dialogs/Dialog';
import { Button, Skeleton, Text } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { Loading } from '@/ui/notices/Loading';
import { lazyPart } from '@/ui/notices/lazy-part';
import { ErrorNotice } from '@/ui/notices/Notice';
import { UndoLine } from '@/ui/notices/UndoLine';
import { FieldsSkeleton } from './FieldsSkeleton';
import { type NotificationActions, NotificationRows } from './NotificationRows';
import { useRemoveNotification, useUndoRemoval } from './useRemoveNotification';

const OpenedNotification = lazyPart(async () => (await import('./OpenedNotification')).default, <FieldsSkeleton />);

/** The recipients of the device's notifications. */
export function NotificationsBlock({ device: { dsn, country, can } }: { device: DeviceDetail }) {
  const query = useQuery(deviceNotificationsQuery(dsn));
  const [edited, setEdited] = useState<DeviceNotification>();
  const [opened, setOpened] = useState(false);
  const { data: removals = [] } = useQuery(removalsQuery(dsn));
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
      {removals.map((removal) => (
        <Removed key={removal.id} dsn={dsn} removal={removal} />
      ))}
      <Rows
        query={query}
        actions={can.edit ? { edit: open, remove: remove.mutate, removing: remove.isPending } : undefined}
      />
      <Dialog title={edited ? t.notifications.editTitle : t.notifications.add} opened={opened} onClose={close}>
        <OpenedNotification key={edited?.id} dsn={dsn} country={country} id={edited?.id} onClose={close} />
      </Dialog>
    </Card>
  );
}

function Removed({ dsn, removal }: { dsn: string; removal: Removal }) {
  const client = useQueryClient();
  const undo = useUndoRemoval(dsn, removal);
  const forget = useCallback(() => forgetRemoval(client, dsn, removal.id), [client, dsn, removal.id]);
  return (
    <UndoLine
      text={t.notifications.removedOf(removal.recipient)}
      until={removal.until}
      isPending={undo.isPending}
      undo={() => undo.mutate()}
      onOver={forget}
    />
  );
}

interface RowsProps {
  query: UseQueryResult<DeviceNotification[]>;
  actions: NotificationActions | undefined;
}

function Rows({ query, actions }: RowsProps) {
  if (!query.data) {
    if (!query.error) {
      return (
        <Loading label={t.notifications.loading}>
          <Skeleton height={44} />
        </Loading>
      );
    }
    const retry = () => void query.refetch();
    return <ErrorNotice title={t.notifications.failed} reason={messageOf(query.error)} onRetry={retry} />;
  }
  if (query.data.length === 0) return <Text c="dimmed">{t.notifications.empty}</Text>;
  return <NotificationRows notifications={query.data} actions={actions} />;
}
