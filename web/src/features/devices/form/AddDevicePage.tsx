import { useLocation, useNavigate } from '@tanstack/react-router';
import { useDeviceEvents } from '@/api/live/live';
import { t } from '@/i18n/en';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Stack, Title } from '@/ui/kit';
import { BackToDevices } from '../BackToDevices';
import { DeviceForm } from './DeviceForm';
import { DeviceFormSkeleton } from './DeviceFormSkeleton';
import { useFormChoices } from './form-choices';

export function AddDevicePage() {
  usePageTitle(t.pages.addDevice);
  // No devices are followed, but the stream also reports the end of the session.
  useDeviceEvents([]);
  const navigate = useNavigate();
  const fromDevices = useLocation({ select: (location) => location.state.fromDevices });
  const formChoices = useFormChoices();
  return (
    <Stack gap="md">
      <Title order={1} size={26}>
        {t.pages.addDevice}
      </Title>
      {formChoices ? (
        <DeviceForm
          formChoices={formChoices}
          cancel={<BackToDevices>{t.common.cancel}</BackToDevices>}
          onSaved={({ dsn }, isDone) =>
            // Replaces the form, so that Back leads to the list.
            void navigate({
              to: isDone ? '/devices/$dsn' : '/devices/$dsn/edit',
              params: { dsn },
              state: fromDevices ? { fromDevices } : {},
              replace: true,
              ignoreBlocker: true,
            })
          }
        />
      ) : (
        <DeviceFormSkeleton />
      )}
    </Stack>
  );
}
