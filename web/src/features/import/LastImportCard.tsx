import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf } from '@/api/errors';
import { lastImportQuery, rereadFragrances, undoImport, undoPreviewQuery } from '@/api/import';
import type { CatalogueImport } from '@/api/schema.gen';
import { dateTime } from '@/browser/time';
import { instant } from '@/domain/instant';
import { t } from '@/i18n/en';
import { Button, Group, Skeleton, Stack, Text } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import { Loading } from '@/ui/notices/Loading';
import { ErrorNotice } from '@/ui/notices/Notice';
import { CatalogueChanges } from './upload/CatalogueChanges';

const texts = t.catalogue.last;

/** The newest import, with its undo; nothing if none can be undone. */
export function LastImportCard() {
  const last = useQuery(lastImportQuery).data?.import;
  return last ? <UndoableImport key={last.importedAt} last={last} /> : null;
}

function UndoableImport({ last: { importedAt, undoUntil, file } }: { last: CatalogueImport }) {
  const client = useQueryClient();
  const [isShown, setShown] = useState(false);
  const preview = useQuery({ ...undoPreviewQuery(importedAt), enabled: isShown });
  const undo = useMutation({
    mutationFn: undoImport,
    onSuccess: async () => {
      alertSuccess(texts.undone);
      await rereadFragrances(client);
    },
    onError: (error) => {
      alertFailure(texts.undoFailed, texts.undone, messageOf(error));
      void preview.refetch();
    },
  });
  const { data } = preview;
  return (
    <Card title={texts.title}>
      <Stack gap="md">
        <div>
          <Text translate="no">{texts.when(dateTime(instant(importedAt)), file)}</Text>
          <Text size="sm" c="dimmed">
            {texts.until(dateTime(instant(undoUntil)))}
          </Text>
        </div>
        <Group gap="sm">
          <Button variant="default" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
            {texts.preview}
          </Button>
          <Button
            disabled={!isShown || !data || preview.isError}
            loading={undo.isPending}
            onClick={() => data && undo.mutate(data.digest)}
          >
            {texts.undo}
          </Button>
        </Group>
        {isShown && preview.isError && (
          <ErrorNotice title={texts.refused} reason={messageOf(preview.error)} onRetry={() => void preview.refetch()} />
        )}
        {isShown && preview.isPending && (
          <Loading label={texts.comparing}>
            <Skeleton height={72} />
          </Loading>
        )}
        {isShown && data && !preview.isError && (
          <Stack gap="sm">
            <Text size="sm" role="status">
              {t.catalogue.preview.devices(data)}
            </Text>
            <CatalogueChanges preview={data} />
          </Stack>
        )}
      </Stack>
    </Card>
  );
}
