import { useDeviceEvents } from '@/api/live/live';
import { t } from '@/i18n/en';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Stack, Text, Title } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { ExportCard } from './ExportCard';
import classes from './ImportPage.module.css';
import { LastImportCard } from './LastImportCard';
import { ImportCard } from './upload/ImportCard';

/** Export and import of the fragrance catalogue as a file. */
export function ImportPage() {
  usePageTitle(t.catalogue.title);
  useDeviceEvents([]);
  return (
    <Stack gap="md">
      <div>
        <Title order={1} size={26}>
          {t.catalogue.title}
        </Title>
        <Text size="sm" c="dimmed">
          {t.catalogue.lead}
        </Text>
      </div>
      <Card title={t.catalogue.instructions}>
        <ol className={classes.steps}>
          {t.catalogue.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </Card>
      <ExportCard />
      <ImportCard />
      <LastImportCard />
    </Stack>
  );
}
