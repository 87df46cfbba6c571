import { useDeviceEvents } from '@/api/live/live';
import { t } from '@/i18n/en';
import { Stack, Title } from '@/ui/kit';
import { usePageTitle } from '@/ui/usePageTitle';
import { useBackToCsps } from './BackToCsps';
import { CspForm } from './CspForm';

export function AddCspPage() {
  usePageTitle(t.csps.addTitle);
  // Of no device; but the stream also reports when the session ends.
  useDeviceEvents([]);
  return (
    <Stack gap="md">
      <Title order={1} size={26}>
        {t.csps.addTitle}
      </Title>
      <CspForm onSaved={useBackToCsps()} />
    </Stack>
  );
}
