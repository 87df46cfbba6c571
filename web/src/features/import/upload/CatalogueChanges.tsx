import type { CataloguePreview, RowPreview, ValueDoubt } from '@/api/schema.gen';
import { CATALOGUE_COLUMNS, type CatalogueColumn } from '@/domain/catalogue';
import { t } from '@/i18n/en';
import { Stack, Text, VisuallyHidden } from '@/ui/kit';
import { Table, type TableColumn } from '@/ui/layout/Table';
import classes from './CatalogueChanges.module.css';

const { columns, ...texts } = t.catalogue.preview;

const COLUMNS: readonly TableColumn<RowPreview>[] = [
  { label: columns.fragrance, cell: (row) => <span translate="no">{nameOf(row)}</span>, isWide: true },
  { label: columns.devices, cell: texts.touched, isWide: true },
  { label: columns.changes, cell: (row) => <Changes row={row} />, isWide: true },
];

interface Props {
  preview: CataloguePreview;
  /** The row of the file by the place of a row; undefined if the changes are of no file. */
  fileRow?: (place: number) => number | undefined;
}

/** The rows that would change, with the values before and after and the devices that each of them touches. */
export function CatalogueChanges({ preview, fileRow }: Props) {
  const { rows, furtherRows } = preview;
  if (rows.length === 0) return null;
  const rowColumn: TableColumn<RowPreview> = { label: columns.row, cell: ({ row }) => fileRow?.(row), isNumber: true };
  return (
    <div>
      <Table
        caption={texts.title}
        isStacked
        isFocusable
        isTall
        columns={fileRow ? [rowColumn, ...COLUMNS] : COLUMNS}
        rows={rows}
        rowKey={({ row }) => row}
      />
      {furtherRows > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {texts.more(furtherRows)}
        </Text>
      )}
    </div>
  );
}

function nameOf({ before, after }: RowPreview): string {
  return (after ?? before)?.Fragrance ?? '';
}

function Changes({ row }: { row: RowPreview }) {
  const { before, after, doubts } = row;
  const doubtOf = (column: CatalogueColumn) => doubts.find((doubt) => doubt.column === column);
  const changed = CATALOGUE_COLUMNS.filter((column) =>
    before ? before[column] !== after?.[column] : doubtOf(column) !== undefined,
  );
  return (
    <Stack gap={2}>
      {!before && <span>{texts.added}</span>}
      {!after && <span>{texts.removed}</span>}
      {after && (
        <ul className={classes.changes}>
          {changed.map((column) => (
            <li key={column}>
              <span className={classes.field}>{t.catalogue.columns[column]}</span>{' '}
              {before && <Before value={before[column]} />}
              <span className={classes.after}>{after[column] || texts.empty}</span>
              <DoubtMark doubt={doubtOf(column)} />
            </li>
          ))}
        </ul>
      )}
    </Stack>
  );
}

function Before({ value }: { value: string | undefined }) {
  return (
    <>
      <span className={classes.field}>{value || texts.empty}</span> <span aria-hidden="true">→</span>{' '}
      <VisuallyHidden>{`${texts.becomes} `}</VisuallyHidden>
    </>
  );
}

function DoubtMark({ doubt }: { doubt: ValueDoubt | undefined }) {
  if (!doubt) return null;
  return (
    <>
      {doubt.factor !== null && <strong className={classes.doubt}>{` ${texts.factor(doubt.factor)}`}</strong>}
      {doubt.isImplausible && <span className={classes.doubt}>{` (${texts.implausible(doubt)})`}</span>}
    </>
  );
}
