import { t } from '@/i18n/en';
import { Text } from '@/ui/kit';
import { Table } from '@/ui/layout/Table';
import type { CatalogueError } from '../file/catalogue-file';
import classes from './CatalogueErrors.module.css';

/** Maximum number of displayed errors. */
const MAX_SHOWN = 100;
/** Displayed length of a value, enough to find it in the file. */
const MAX_VALUE_CHARS = 40;

const { row, type, code, message } = t.catalogue.errorColumns;
const COLUMNS = [
  { label: row, cell: (error: CatalogueError) => error.row ?? t.catalogue.noRow, isNumber: true },
  { label: type, cell: ({ type }: CatalogueError) => t.catalogue.errorTypes[type] ?? type },
  { label: code, cell: ({ code }: CatalogueError) => t.catalogue.errorCodes[code] ?? code },
  { label: message, cell: (error: CatalogueError) => <Message error={error} />, isWide: true },
];

/** The error, the cell with its value, and the remedy. */
function Message({ error: { message, cell, remedy } }: { error: CatalogueError }) {
  return (
    <>
      <div>{message}</div>
      {cell && <div className={classes.cell}>{t.catalogue.errorCell(cell.name, shortened(cell.value))}</div>}
      {remedy && <div className={classes.remedy}>{remedy}</div>}
    </>
  );
}

function shortened(value: string): string {
  const characters = [...value];
  return characters.length > MAX_VALUE_CHARS ? `${characters.slice(0, MAX_VALUE_CHARS).join('')}…` : value;
}

/** The errors of a file; scrolled into view and focused when they appear. */
export function CatalogueErrors({ errors }: { errors: readonly CatalogueError[] }) {
  return (
    <div>
      <Text
        ref={focusOnMount}
        tabIndex={-1}
        className={classes.lead}
        role="alert"
        c="var(--mantine-color-error)"
        mb="sm"
      >
        {t.catalogue.errorCount(errors.length)}
      </Text>
      <Table
        caption={t.catalogue.errors}
        showCaption
        isStacked
        isFocusable
        columns={COLUMNS}
        rows={errors.slice(0, MAX_SHOWN)}
        // A row can contain the same error twice.
        rowKey={(_, place) => place}
      />
      {errors.length > MAX_SHOWN && (
        <Text size="sm" c="dimmed" mt="xs">
          {t.catalogue.moreErrors(errors.length - MAX_SHOWN)}
        </Text>
      )}
    </div>
  );
}

function focusOnMount(element: HTMLElement | null): void {
  element?.focus();
}
