import { useNavigate } from '@tanstack/react-router';
import { useDeviceEvents } from '@/api/live/live';
import { t } from '@/i18n/en';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Stack, Title } from '@/ui/kit';
import { useBackToCsps } from './BackToCsps';
import { CspForm } from './CspForm';

export function AddCspPage() {
  usePageTitle(t.csps.addTitle);
  // No devices are followed, but the stream also reports the end of the session.
  useDeviceEvents([]);
  const navigate = useNavigate();
  const goBack = useBackToCsps();
  return (
    <Stack gap="md">
      <Title order={1} size={26}>
        {t.csps.addTitle}
      </Title>
      <CspForm
        onSaved={(id, isDone) =>
          void (isDone ? goBack() : navigate({ to: '/csps/$id', params: { id }, replace: true, ignoreBlocker: true }))
        }
      />
    </Stack>
  );
}
