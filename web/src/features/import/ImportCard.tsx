import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { messageOf } from '@/api/errors';
import { rereadFragrances, updateFragrances } from '@/api/import';
import { t } from '@/i18n/en';
import { alertFailure, alertSuccess } from '@/ui/alerts';
import { Card } from '@/ui/Card';
import { DropZone } from '@/ui/DropZone';
import { Button, Group, Stack, Text } from '@/ui/kit';
import { InfoNotice } from '@/ui/Notice';
import { CatalogueErrors } from './CatalogueErrors';
import { CatalogueRows } from './CatalogueRows';
import { serverErrors } from './catalogue-file';
import { EncodingQuestion } from './EncodingQuestion';
import { SkuWarnings } from './SkuWarnings';
import { ACCEPTED_FILES, type ReadFile, useCatalogueFile } from './useCatalogueFile';

/** Accepts a file, shows its rows or errors, and imports it after approval. */
export function ImportCard() {
  const { selected, select, readAsWindows1252, reset } = useCatalogueFile();
  const client = useQueryClient();
  const status = useRef<HTMLParagraphElement>(null);
  const update = useMutation({
    mutationFn: ({ name, file: { rows } }: ReadFile) =>
      updateFragrances(
        name,
        rows.map(({ cells }) => cells),
      ),
    onSuccess: () => {
      void rereadFragrances(client);
      alertSuccess(t.catalogue.updated);
      reset();
    },
    onError: (error) => alertFailure(t.catalogue.updateFailed, t.catalogue.updated, messageOf(error)),
  });
  const file = selected.state === 'read' ? selected.file : undefined;
  const errors = file ? [...file.errors, ...serverErrors(update.error, file)] : [];
  const warnings = file && errors.length === 0 ? file.warnings : [];
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
              disabled={!file || errors.length > 0}
              loading={update.isPending}
              onClick={() => selected.state === 'read' && update.mutate(selected)}
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
        {errors.length > 0 ? <CatalogueErrors errors={errors} /> : file && <CatalogueRows rows={file.rows} />}
      </Stack>
    </Card>
  );
}
