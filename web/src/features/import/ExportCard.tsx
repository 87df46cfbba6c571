import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { messageOf } from '@/api/errors';
import { exportFragrances } from '@/api/import';
import { saveFile } from '@/browser/save-file';
import { t } from '@/i18n/en';
import { Button, Text } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';

const FILE = 'fragrances.csv';

/** Exports the catalogue as a file. */
export function ExportCard() {
  const download = useMutation({
    mutationFn: async () => {
      const [{ items }, { writeCatalogue }] = await Promise.all([exportFragrances(), import('./file/catalogue-csv')]);
      saveFile(new Blob([writeCatalogue(items)], { type: 'text/csv;charset=utf-8' }), FILE);
    },
    onSuccess: () => alertSuccess(t.catalogue.downloaded),
    onError: (error) => alertFailure(t.catalogue.downloadFailed, t.catalogue.downloaded, messageOf(error)),
  });
  return (
    <Card
      title={t.catalogue.export}
      actions={
        <Button
          variant="default"
          leftSection={<IconDownload size={18} aria-hidden="true" />}
          loading={download.isPending}
          onClick={() => download.mutate()}
        >
          {t.catalogue.download}
        </Button>
      }
    >
      <Text>{t.catalogue.exportLead}</Text>
    </Card>
  );
}
