import { useDeviceEvents } from '@/api/live/live';
import { programVersion } from '@/browser/page-meta';
import { t } from '@/i18n/en';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Stack, Text, Title } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { Facts } from '@/ui/values/Facts';

export function AboutPage() {
  usePageTitle(t.pages.about);
  useDeviceEvents([]);
  return (
    <Stack gap="md">
      <Title order={1} size={26}>
        {t.about.title}
      </Title>
      <Text>{t.about.lead}</Text>
      <Card title={t.about.facts}>
        <Facts
          facts={[
            [t.about.version, programVersion()],
            [t.about.licence, t.about.licences],
            [t.about.mapData, t.about.mapDataLicence],
          ]}
        />
      </Card>
    </Stack>
  );
}
