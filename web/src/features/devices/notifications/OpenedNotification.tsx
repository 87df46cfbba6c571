import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { deviceNotificationsQuery } from '@/api/device-notifications';
import type { DeviceNotification } from '@/api/schema.gen';
import { FRESH } from '@/form/fresh';
import { countriesQuery } from '@/form/loaded-choices';
import { t } from '@/i18n/en';
import { Button, Group, Stack } from '@/ui/kit';
import { InfoNotice } from '@/ui/notices/Notice';
import { FieldsSkeleton } from './FieldsSkeleton';
import { NotificationFields } from './NotificationFields';
import { phoneCountryOf } from './phone-countries';

interface Props {
  dsn: string;
  /** The country of the device. */
  country: string | null;
  /** Undefined to add a notification. */
  id: string | undefined;
  onClose: () => void;
}

/** The form of the dialog, loaded when it opens, because few visits change a notification. */
export default function OpenedNotification({ id, country, ...props }: Props) {
  return id ? <FreshNotification id={id} {...props} /> : <NewNotification country={country} {...props} />;
}

/** The form of a new notification, for a phone in the country of the device. */
function NewNotification({ country, ...props }: Omit<Props, 'id'>) {
  const hasCountry = country !== null;
  // Without the countries the form starts with the default, at once.
  const { data: countries = [], isPending } = useQuery({ ...countriesQuery, enabled: hasCountry, retry: false });
  if (hasCountry && isPending) return <FieldsSkeleton />;
  return <NotificationFields edited={{ country: phoneCountryOf(country, countries) }} {...props} />;
}

/** The form of a notification that is read again when it opens. */
function FreshNotification({ dsn, id, onClose }: Omit<Props, 'country'> & { id: string }) {
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
