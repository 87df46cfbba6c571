import { Fragment } from 'react';
import { t } from '@/i18n/en';
import { Text } from '@/ui/kit';
import type { CatalogueError } from './catalogue-file';
import { FileTable } from './FileTable';

/** Nobody mends more than that at once. */
const MOST_SHOWN = 100;

const { row, type, code, message } = t.catalogue.errorColumns;
const COLUMNS = [
  { label: row, cell: (error: CatalogueError) => error.row ?? t.catalogue.noRow, isNumber: true },
  { label: type, cell: (error: CatalogueError) => <Name text={error.type} /> },
  { label: code, cell: (error: CatalogueError) => <Name text={error.code} /> },
  { label: message, cell: (error: CatalogueError) => error.message },
];

/** On a phone a name like FieldMismatch takes two lines, but no word of it does. */
function Name({ text }: { text: string }) {
  return text.split(/(?=[A-Z])/).map((word, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: words are their places
    <Fragment key={place}>
      <wbr />
      {word}
    </Fragment>
  ));
}

/** What is wrong with a file. */
export function CatalogueErrors({ errors }: { errors: readonly CatalogueError[] }) {
  return (
    <div>
      <Text role="alert" c="var(--mantine-color-error)" mb="sm">
        {t.catalogue.errorCount(errors.length)}
      </Text>
      <FileTable
        caption={t.catalogue.errors}
        columns={COLUMNS}
        rows={errors.slice(0, MOST_SHOWN)}
        // One row can have the same mistake twice.
        rowKey={(_, place) => place}
      />
      {errors.length > MOST_SHOWN && (
        <Text size="sm" c="dimmed" mt="xs">
          {t.catalogue.moreErrors(errors.length - MOST_SHOWN)}
        </Text>
      )}
    </div>
  );
}
