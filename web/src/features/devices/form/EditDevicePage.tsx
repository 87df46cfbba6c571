import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { deviceQuery } from '@/api/devices';
import { isStatus } from '@/api/errors';
import { useDeviceEvents } from '@/api/live/live';
import { FRESH } from '@/form/fresh';
import { t } from '@/i18n/en';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Stack, Title } from '@/ui/kit';
import { BackToDevice, useBackToDevice } from '../BackToDevice';
import { DeviceFailure } from '../DeviceFailure';
import { DeviceForm } from './DeviceForm';
import { DeviceFormSkeleton } from './DeviceFormSkeleton';
import { useFormChoices } from './form-choices';

const route = getRouteApi('/signed-in/devices/$dsn/edit');

export function EditDevicePage() {
  const { dsn } = route.useParams();
  const query = useQuery({ ...deviceQuery(dsn), ...FRESH });
  const formChoices = useFormChoices();
  const goBack = useBackToDevice(dsn);
  const title = t.deviceForm.editTitle(query.data?.serialNumber || dsn);
  usePageTitle(title);
  useDeviceEvents([dsn]);

  // A failed reread keeps the device on the page, except for a 404.
  if (query.error && (!query.data || isStatus(query.error, 404))) {
    return <DeviceFailure dsn={dsn} error={query.error} onRetry={() => void query.refetch()} />;
  }
  return (
    <Stack gap="md">
      <Title order={1} size={26}>
        {title}
      </Title>
      {query.data && query.isFetchedAfterMount && formChoices ? (
        <DeviceForm
          key={dsn}
          device={query.data}
          formChoices={formChoices}
          cancel={<BackToDevice dsn={dsn}>{t.common.cancel}</BackToDevice>}
          onSaved={goBack}
        />
      ) : (
        <DeviceFormSkeleton />
      )}
    </Stack>
  );
}
