import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { deviceQuery } from '@/api/devices';
import { isStatus, messageOf } from '@/api/errors';
import { useDeviceEvents } from '@/api/live/live';
import { t } from '@/i18n/en';
import { Stack, Title } from '@/ui/kit';
import { EmptyNotice, ErrorNotice } from '@/ui/Notice';
import { usePageTitle } from '@/ui/usePageTitle';
import { BackToDevice, useBackToDevice } from './BackToDevice';
import { BackToDevices } from './BackToDevices';
import { DeviceForm } from './form/DeviceForm';
import { DeviceFormSkeleton } from './form/DeviceFormSkeleton';
import { useOffers } from './form/offers';

const route = getRouteApi('/signed-in/devices/$dsn/edit');

export function EditDevicePage() {
  const { dsn } = route.useParams();
  const query = useQuery(deviceQuery(dsn));
  const offers = useOffers();
  const goBack = useBackToDevice(dsn);
  const title = t.deviceForm.editTitle(query.data?.serialNumber || dsn);
  usePageTitle(title);
  useDeviceEvents([dsn]);

  if (isStatus(query.error, 404)) {
    return <EmptyNotice page title={t.device.notFound} text={t.device.notFoundHint(dsn)} action={<BackToDevices />} />;
  }
  if (query.isError && !query.data) {
    const retry = () => void query.refetch();
    return <ErrorNotice page title={t.device.failed} reason={messageOf(query.error)} onRetry={retry} />;
  }
  return (
    <Stack gap="md">
      <Title order={1} size={26}>
        {title}
      </Title>
      {query.data && offers ? (
        <DeviceForm
          key={dsn}
          device={query.data}
          offers={offers}
          cancel={<BackToDevice dsn={dsn}>{t.common.cancel}</BackToDevice>}
          onSaved={goBack}
        />
      ) : (
        <DeviceFormSkeleton />
      )}
    </Stack>
  );
}
