import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { fieldErrors, isStatus, messageOf } from '@/api/errors';
import { importPreviewQuery, rereadFragrances, updateFragrances } from '@/api/import';
import type { CataloguePreview } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { DropZone } from '@/ui/fields/DropZone';
import { Button, Group, Skeleton, Stack, Text } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import { Loading } from '@/ui/notices/Loading';
import { ErrorNotice, InfoNotice } from '@/ui/notices/Notice';
import { type CatalogueFile, serverErrors } from '../file/catalogue-file';
import { ACCEPTED_FILES, type ReadFile, type Selected, useCatalogueFile } from '../file/useCatalogueFile';
import { CatalogueChanges } from './CatalogueChanges';
import { CatalogueErrors } from './CatalogueErrors';
import { CatalogueRows } from './CatalogueRows';
import { EncodingQuestion } from './EncodingQuestion';
import { ImportQuestion, needsQuestion } from './ImportQuestion';
import { SkuWarnings } from './SkuWarnings';

interface Decision {
  selected: ReadFile;
  /** The preview that was decided on. */
  digest: string;
}

/** Accepts a file, shows what it would change or its errors, and imports it after approval. */
export function ImportCard() {
  const { selected, select, readAsWindows1252, reset } = useCatalogueFile();
  const client = useQueryClient();
  const status = useRef<HTMLParagraphElement>(null);
  const [isAsking, setAsking] = useState(false);
  const preview = useImportPreview(selected);
  const update = useMutation({
    mutationFn: ({ selected: { name, file }, digest }: Decision) => updateFragrances(name, digest, cellsOf(file)),
    onSuccess: () => {
      void rereadFragrances(client);
      alertSuccess(t.catalogue.updated);
      reset();
    },
    onError: (error) => {
      alertFailure(t.catalogue.updateFailed, t.catalogue.updated, messageOf(error));
      // The catalogue has changed since the preview.
      if (isStatus(error, 409)) void preview.refetch();
    },
  });
  const file = selected.state === 'read' ? selected.file : undefined;
  const ofServer = file ? [update.error, preview.error].flatMap((error) => serverErrors(error, file)) : [];
  const errors = file ? [...file.errors, ...ofServer] : [];
  const warnings = file && errors.length === 0 ? file.warnings : [];
  const approve = (data: CataloguePreview) => {
    setAsking(false);
    if (selected.state === 'read') update.mutate({ selected, digest: data.digest });
  };
  return (
    <Card title={t.catalogue.import}>
      <Stack gap="md">
        <DropZone
          label={t.catalogue.drop}
          hint={t.catalogue.choose}
          accept={ACCEPTED_FILES}
          error={selected.state === 'none' ? selected.complaint : undefined}
          disabled={update.isPending}
          onFiles={(files) => {
            update.reset();
            void select(files);
          }}
        />
        <Group justify="space-between" gap="sm">
          <Text ref={status} tabIndex={-1} size="sm" role="status">
            {selected.state === 'reading' && <span>{t.catalogue.reading}</span>}
            {(selected.state === 'read' || selected.state === 'asked') && (
              <span>{t.catalogue.file(selected.name)}</span>
            )}
            {warnings.length > 0 && <span>{t.catalogue.skusToCheck(warnings.length)}</span>}
          </Text>
          <Group gap="sm">
            <Button
              variant="default"
              disabled={selected.state === 'none' || update.isPending}
              onClick={() => {
                update.reset();
                reset();
              }}
            >
              {t.catalogue.reset}
            </Button>
            <Button
              disabled={!preview.data || errors.length > 0}
              loading={update.isPending}
              onClick={() => {
                if (!preview.data) return;
                if (needsQuestion(preview.data)) setAsking(true);
                else approve(preview.data);
              }}
            >
              {t.catalogue.approve}
            </Button>
          </Group>
        </Group>
        {update.data && selected.state === 'none' && <InfoNotice text={t.catalogue.outcome(update.data)} />}
        {selected.state === 'asked' && (
          <EncodingQuestion
            asked={selected.question}
            onConfirm={() => {
              // The question with its button disappears.
              status.current?.focus();
              void readAsWindows1252();
            }}
          />
        )}
        {warnings.length > 0 && <SkuWarnings warnings={warnings} />}
        {errors.length > 0 && <CatalogueErrors errors={errors} />}
        {file && errors.length === 0 && (
          <>
            <ImportPreview file={file} preview={preview} />
            <CatalogueRows rows={file.rows} />
          </>
        )}
        {file && preview.data && (
          <ImportQuestion
            preview={preview.data}
            file={file}
            opened={isAsking}
            onClose={() => setAsking(false)}
            onConfirm={() => preview.data && approve(preview.data)}
          />
        )}
      </Stack>
    </Card>
  );
}

function useImportPreview(selected: Selected) {
  const file = selected.state === 'read' ? selected.file : undefined;
  const id = selected.state === 'read' ? selected.id : 0;
  return useQuery({
    ...importPreviewQuery(id, file ? cellsOf(file) : []),
    enabled: file !== undefined && file.errors.length === 0,
  });
}

function cellsOf({ rows }: CatalogueFile) {
  return rows.map(({ cells }) => cells);
}

interface PreviewProps {
  file: CatalogueFile;
  preview: ReturnType<typeof useImportPreview>;
}

function ImportPreview({ file, preview: { data, error, refetch } }: PreviewProps) {
  if (data) {
    return (
      <Stack gap="sm">
        <Text size="sm" role="status">
          <span>{t.catalogue.preview.summary(data)}</span> <span>{t.catalogue.preview.devices(data)}</span>
        </Text>
        <CatalogueChanges preview={data} fileRow={(place) => file.rows[place]?.row} />
      </Stack>
    );
  }
  if (error && Object.keys(fieldErrors(error)).length === 0) {
    return <ErrorNotice title={t.catalogue.preview.failed} reason={messageOf(error)} onRetry={() => void refetch()} />;
  }
  return (
    <Loading label={t.catalogue.preview.comparing}>
      <Skeleton height={72} />
    </Loading>
  );
}
