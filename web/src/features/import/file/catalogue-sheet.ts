import {
  CATALOGUE_COLUMNS,
  type CatalogueColumn,
  type Cells,
  cellProblem,
  isText,
  LONGEST_CELL,
} from '@/domain/catalogue';
import { sameName } from '@/domain/one-line';
import { t } from '@/i18n/en';
import {
  type CatalogueError,
  type CatalogueFile,
  cellAt,
  fileError,
  MOST_ROWS,
  refused,
  type Sheet,
  type SheetRow,
  type SkuWarning,
} from './catalogue-file';
import { intendedText, skuDamage } from './spreadsheet-damage';

/** The SKUs in the catalogue, by `sameName` of their fragrances. */
export type PresentSkus = ReadonlyMap<string, string>;

const DECIMAL_COMMA = /^\d*,\d+$|^\d+,$/;
/** The comma can separate the thousands or the decimals. */
const AMBIGUOUS_COMMA = /^[1-9]\d{0,2},\d{3}$/;

const { problems, remedies } = t.catalogue;

const COLUMNS_BY_HEADING = new Map<string, CatalogueColumn>(
  CATALOGUE_COLUMNS.flatMap((column) =>
    [column, t.catalogue.columns[column]].map((heading) => [headingKey(heading), column] as const),
  ),
);

/** Equal for headers that differ in case and blanks only. */
function headingKey(heading: string): string {
  return sameName(heading).replaceAll(' ', '');
}

/** The column with this header: the name in exported files, or the heading in the preview. */
export function columnOf(heading: string): CatalogueColumn | undefined {
  return COLUMNS_BY_HEADING.get(headingKey(heading));
}

/** A header cell with text. */
interface Heading {
  place: number;
  text: string;
  column: CatalogueColumn | undefined;
}

/** The catalogue in a sheet, with the errors of its columns and cells. */
export function catalogueOf(sheet: Sheet, present: PresentSkus): CatalogueFile {
  const [header, ...lines] = sheet.rows;
  if (lines.length > MOST_ROWS)
    return refused(fileError('TooManyRows', problems.tooManyRows(MOST_ROWS), remedies.splitFile));
  const headings = (header?.cells ?? []).flatMap((cell, place): Heading[] => {
    const text = cell.trim();
    return text === '' ? [] : [{ place, text, column: columnOf(text) }];
  });
  const places = new Map<CatalogueColumn, number>();
  for (const { column, place } of headings) if (column && !places.has(column)) places.set(column, place);
  const named = new Set(headings.map(({ place }) => place));
  const headingRow = header?.row ?? 1;
  const rows = lines.map((line) => ({ row: line.row, cells: cellsOf(line, places, sheet.hasDecimalCommas) }));
  const errors = [
    ...sheet.errors,
    ...headingErrors(headings, headingRow),
    ...lines.flatMap((line) => surplusErrors(line, named)),
    ...lines.flatMap((line, index) =>
      [...places].flatMap(([column, place]) => {
        // A cell that is missing in a short row is reported as such.
        if (line.cells[place] === undefined) return [];
        const cells = rows[index]?.cells;
        return cells ? cellErrors(column, place, line, cells, present) : [];
      }),
    ),
    ...duplicates(rows, places.get('Fragrance') ?? 0),
  ];
  if (lines.length === 0) errors.push(fileError('NoRows', problems.noRows, remedies.addRows));
  errors.sort((one, other) => (one.row ?? 0) - (other.row ?? 0));
  return { header: headerOf(places), rows, errors, warnings: skuWarnings(rows, present) };
}

/** The columns by their places; other places are empty. */
function headerOf(places: ReadonlyMap<CatalogueColumn, number>): string[] {
  const header: string[] = Array(1 + Math.max(-1, ...places.values())).fill('');
  for (const [column, place] of places) header[place] = column;
  return header;
}

function cellsOf({ cells }: SheetRow, places: ReadonlyMap<CatalogueColumn, number>, hasDecimalCommas: boolean): Cells {
  const entries = CATALOGUE_COLUMNS.map((column) => {
    const text = (cells[places.get(column) ?? -1] ?? '').trim();
    const isDecimal = hasDecimalCommas && !isText(column) && DECIMAL_COMMA.test(text) && !AMBIGUOUS_COMMA.test(text);
    return [column, isDecimal ? text.replace(',', '.') : text];
  });
  return Object.fromEntries(entries) as Cells;
}

function cellErrors(
  column: CatalogueColumn,
  place: number,
  line: SheetRow,
  cells: Cells,
  present: PresentSkus,
): CatalogueError[] {
  const value = cells[column];
  const error = (code: string, message: string, remedy: string): CatalogueError[] => [
    { row: line.row, type: 'InvalidValue', code, message, cell: cellAt(place, line.row, value), remedy },
  ];
  const fault = line.faults?.get(place);
  if (fault) return error(fault === 'date' ? 'Date' : 'Formula', problems[fault](column), remedies[fault](column));
  if (!isText(column) && AMBIGUOUS_COMMA.test(value)) {
    const whole = value.replace(',', '');
    const decimal = String(Number(value.replace(',', '.')));
    return error('InvalidValue', problems.ambiguous(column, whole, decimal), remedies.ambiguous(whole, decimal));
  }
  // An exported file can be imported unchanged, even if the catalogue contains mojibake.
  const isNew = isText(column) && !isPresent(column, cells, present);
  // Before the other checks, because mojibake can contain control characters and soft hyphens. Trimming would remove a
  // no-break space at the end, which belongs to a letter.
  const intended = isNew ? intendedText(line.cells[place] ?? '')?.trim() : undefined;
  if (intended !== undefined)
    return error('WrongEncoding', problems.wrongEncoding(column, intended), remedies.wrongEncoding(intended));
  const problem = cellProblem(column, value);
  if (problem) return error('InvalidValue', problems[problem](column, LONGEST_CELL), remedies[problem](column));
  if (!isNew || !value.includes('\ufffd')) return [];
  return error('WrongEncoding', problems.lostLetters(column), remedies.lostLetters(column));
}

/** Whether the catalogue has this name, or this SKU for the name. */
function isPresent(column: CatalogueColumn, { Fragrance, SKU }: Cells, present: PresentSkus): boolean {
  const sku = present.get(sameName(Fragrance));
  return column === 'SKU' ? sku === SKU : sku !== undefined;
}

function headingErrors(headings: readonly Heading[], row: number): CatalogueError[] {
  const missing = CATALOGUE_COLUMNS.filter((column) => !headings.some((heading) => heading.column === column));
  return [
    ...missing.map((column) => ({
      row,
      type: 'MissingColumn',
      code: 'MissingColumn',
      message: problems.missingColumn(column),
      remedy: remedies.missingColumn(column),
    })),
    ...headings.flatMap(({ place, text, column }): CatalogueError[] => {
      const error = { row, cell: cellAt(place, row, text) };
      if (!column) {
        const [message, remedy] = [problems.unknownColumn(text), remedies.unknownColumn];
        return [{ ...error, type: 'InvalidValue', code: 'UnknownColumn', message, remedy }];
      }
      const first = headings.find((heading) => heading.column === column);
      if (!first || first.place === place) return [];
      const message = problems.duplicateColumn(cellAt(first.place, row, first.text), error.cell, column);
      return [{ ...error, type: 'Duplicate', code: 'DuplicateColumn', message, remedy: remedies.duplicateColumn }];
    }),
  ];
}

/** Cells with text in columns without a header. */
function surplusErrors({ row, cells }: SheetRow, named: ReadonlySet<number>): CatalogueError[] {
  const place = cells.findIndex((cell, place) => cell.trim() !== '' && !named.has(place));
  if (place < 0) return [];
  return [
    {
      row,
      type: 'FieldMismatch',
      code: 'TooManyFields',
      message: problems.surplusCell,
      cell: cellAt(place, row, cells[place]?.trim() ?? ''),
      remedy: remedies.parser.TooManyFields,
    },
  ];
}

function duplicates(rows: CatalogueFile['rows'], place: number): CatalogueError[] {
  const rowsOfNames = new Map<string, number>();
  return rows.flatMap(({ row, cells: { Fragrance: name } }) => {
    const first = rowsOfNames.get(sameName(name));
    if (name === '' || first === undefined) {
      rowsOfNames.set(sameName(name), row);
      return [];
    }
    const cell = cellAt(place, row, name);
    const remedy = remedies.duplicate(first);
    return [{ row, type: 'Duplicate', code: 'Duplicate', message: problems.duplicate(name), cell, remedy }];
  });
}

function skuWarnings(rows: CatalogueFile['rows'], present: PresentSkus): SkuWarning[] {
  return rows.flatMap(({ row, cells: { Fragrance: fragrance, SKU: after } }) => {
    const before = present.get(sameName(fragrance));
    const damage = skuDamage(after, before);
    return damage ? [{ row, fragrance, before, after, reason: t.catalogue.skuDamage[damage] }] : [];
  });
}
