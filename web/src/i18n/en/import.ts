import { numberText } from '@/domain/number-text';
import { pages } from './pages';

function changedDevices(count: number): string {
  if (count === 0) return '';
  const devices = count === 1 ? 'that of 1 device' : `those of ${numberText(count)} devices`;
  return ` Level or consumption change with it: ${devices}. Each device lists it under Changes.`;
}

function devicesText(count: number): string {
  return count === 1 ? '1 device' : `${numberText(count)} devices`;
}

interface TouchedDevices {
  devices: number;
  emptied: number;
}

/** '412 devices; 398 would read empty' */
function touchedText({ devices, emptied }: TouchedDevices): string {
  if (devices === 0) return '–';
  return `${devicesText(devices)}${emptied > 0 ? `; ${numberText(emptied)} would read empty` : ''}`;
}

/** '×1,000' or '÷1,000' */
function factorText(factor: number): string {
  return factor > 1 ? `×${numberText(factor)}` : `÷${numberText(Math.round(1 / factor))}`;
}

interface Doubt {
  isImplausible: boolean;
  from: number;
  to: number;
  factor: number | null;
}

function implausibleText({ from, to, factor }: Doubt): string {
  const range = `plausible: ${from} to ${to}`;
  if (factor === null) return range;
  const size = factor > 1 ? 'large' : 'small';
  return `${range}; probably ${factorText(factor).slice(1)} times too ${size}`;
}

interface HeaderCell {
  name: string;
  value: string;
}

/** Export and import of the fragrance catalogue. */
export const catalogue = {
  title: pages.catalogue,
  lead: 'The fragrances for the diffusers, and how fast each model consumes them.',
  instructions: 'Instructions',
  steps: [
    'Download the catalogue, or create a file with the same columns.',
    'Edit it in a spreadsheet, one fragrance per row. Enter the density in grams per millilitre and the other numbers in grams per running hour, with a decimal point. Leave a cell empty if the fragrance is not available for that model.',
    'Save it as an Excel workbook (XLSX) or as CSV, and choose it below. The first sheet of a workbook is read. Rows are matched by the name of the fragrance; fragrances that are not in the file stay unchanged.',
    'Check the preview, then approve it. Either all rows are imported, or none. The last import can be undone for a week.',
  ],
  export: 'Export',
  exportLead: 'The whole catalogue as fragrances.csv.',
  download: 'Download',
  downloaded: 'Successfully downloaded fragrances',
  downloadFailed: 'Failed to get fragrances',
  import: 'Import',
  drop: 'Drop a CSV or XLSX file here',
  choose: 'or choose one',
  onlyOne: 'Please select ONLY one file',
  noCsv: 'Please select a CSV or XLSX file',
  reading: 'Reading the file',
  unreadable: 'The file could not be read',
  file: (name: string) => `File: ${name}`,
  encoding: {
    question: 'This file is not UTF-8. Read it as Windows-1252?',
    consequence: 'These texts of the file would be read as follows. Confirm only if their letters are correct.',
    /** The accessible name of the list. */
    samples: 'Texts of the file',
    confirm: 'Read as Windows-1252',
    otherwise: 'Otherwise choose Reset, save the file as XLSX or as CSV in UTF-8, and choose it again.',
  },
  skuWarning: (count: number) =>
    count === 1
      ? '1 SKU was probably changed by a spreadsheet. Check it before you approve the file.'
      : `${numberText(count)} SKUs were probably changed by a spreadsheet. Check them before you approve the file.`,
  /** Follows the name of the file. */
  skusToCheck: (count: number) => `, ${count === 1 ? '1 SKU' : `${numberText(count)} SKUs`} to check`,
  skuWarnings: 'Changed SKUs',
  skuColumns: {
    row: 'Row',
    fragrance: 'Fragrance',
    before: 'SKU now',
    after: 'SKU in the file',
    reason: 'Probable cause',
  },
  skuDamage: {
    scientific: 'A long number was shortened. Format the column as text, and enter the SKU again.',
    date: 'The SKU was read as a date. Format the column as text, and enter the SKU again.',
    digits:
      'A spreadsheet keeps 15 digits of a number; the others became zeros. Format the column as text, and enter the SKU again.',
    number: 'The SKU was read as a number. Format the column as text, and enter the SKU again.',
  },
  preview: {
    title: 'What would change',
    comparing: 'Comparing the file with the catalogue',
    failed: 'Failed to compare the file with the catalogue',
    summary: ({ added, changed, unchanged }: Record<'added' | 'changed' | 'unchanged', number>) =>
      `The file adds ${numberText(added)}, changes ${numberText(changed)} and leaves ${numberText(unchanged)} unchanged.`,
    devices: (touched: TouchedDevices) =>
      touched.devices === 0
        ? 'No device changes its level or consumption.'
        : `Level or consumption change: ${touchedText(touched)}.`,
    columns: { row: 'Row', fragrance: 'Fragrance', devices: 'Devices', changes: 'Changes' },
    touched: touchedText,
    added: 'New',
    removed: 'Removed',
    /** In place of an empty cell. */
    empty: 'empty',
    /** For screen readers, instead of an arrow. */
    becomes: 'becomes',
    factor: factorText,
    implausible: implausibleText,
    more: (count: number) => `and ${numberText(count)} more rows`,
  },
  question: {
    title: 'Import this file?',
    implausible: (count: number) =>
      count === 1 ? '1 value is not plausible:' : `${numberText(count)} values are not plausible:`,
    cell: (place: string, value: string, doubt: Doubt) => `${place}: ${value} (${implausibleText(doubt)})`,
    more: (count: number) => `and ${numberText(count)} more`,
    movedFar: (count: number) =>
      `${count === 1 ? 'The level of 1 device changes' : `The levels of ${numberText(count)} devices change`} by more than 5 percentage points.`,
    emptied: (count: number) => `${count === 1 ? '1 device' : `${numberText(count)} devices`} would read empty.`,
    confirm: 'Import anyway',
  },
  last: {
    title: 'Last import',
    when: (at: string, file: string | null) => (file === null ? `Imported ${at}.` : `${file}, imported ${at}.`),
    until: (at: string) => `It can be undone until ${at}, as long as its rows have not been changed.`,
    preview: 'Preview undo',
    comparing: 'Comparing with the catalogue before the import',
    refused: 'The import cannot be undone',
    undo: 'Undo import',
    undone: 'Successfully undid the import',
    undoFailed: 'Failed to undo the import',
  },
  reset: 'Reset',
  approve: 'Approve',
  updated: 'Successfully updated fragrances',
  updateFailed: 'Failed to update fragrances',
  outcome: ({ added, changed, unchanged, devices }: Record<'added' | 'changed' | 'unchanged' | 'devices', number>) =>
    `${numberText(added)} added, ${numberText(changed)} changed, ${numberText(unchanged)} unchanged.${changedDevices(devices)}`,
  errors: 'Errors',
  errorCount: (count: number) =>
    `${count === 1 ? '1 error' : `${numberText(count)} errors`}. Correct the file, and choose it again.`,
  errorCell: (cell: string, value: string) => (value === '' ? `${cell} is empty.` : `${cell} contains “${value}”.`),
  errorColumns: { row: 'Row', type: 'Type', code: 'Code', message: 'Message' },
  /** By the names of the parser and of our own checks (A-76). */
  errorTypes: {
    InvalidValue: 'Not allowed',
    MissingColumn: 'Column',
    FieldMismatch: 'Number of cells',
    Quotes: 'Quotes',
  } as Record<string, string>,
  errorCodes: {
    InvalidValue: 'Wrong value',
    FileTooLarge: 'File too large',
    NotText: 'Not text',
    NotReadable: 'Not readable',
    WrongEncoding: 'Wrong encoding',
    Date: 'Date',
    Formula: 'Formula',
    NoRows: 'No rows',
    TooManyRows: 'Too many rows',
    MissingColumn: 'Missing',
    UnknownColumn: 'Unknown column',
    DuplicateColumn: 'Repeated column',
    TooFewFields: 'Too few cells',
    TooManyFields: 'Too many cells',
    MissingQuotes: 'Not closed',
    InvalidQuotes: 'Wrong place',
  } as Record<string, string>,
  noRow: '–',
  moreErrors: (count: number) => `and ${numberText(count)} more`,
  results: 'Fragrances',
  columns: {
    Fragrance: 'Fragrance',
    SKU: 'SKU',
    Density: 'Density',
    AQ200w500: 'AQ200',
    AQ300w500: 'AQ300',
    AQ500w500: 'AQ500',
    AQ800w1250: 'AQ800 1250ml',
    AQ800w2500: 'AQ800 2500ml',
    AQ1200w1250: 'AQ1200 1250ml',
    AQ1200w2500: 'AQ1200 2500ml',
  },
  problems: {
    duplicate: (name: string) => `Duplicate Fragrance Found: ${name}`,
    missingColumn: (column: string) => `Missing column: ${column}`,
    unknownColumn: (column: string) => `Unknown column: ${column}`,
    duplicateColumn: (first: HeaderCell, second: HeaderCell, column: string) =>
      `The headers “${first.value}” (${first.name}) and “${second.value}” (${second.name}) are both the column ${column}`,
    cellCount: (expected: number, found: number) =>
      `The row has ${found === 1 ? '1 cell' : `${numberText(found)} cells`} instead of ${numberText(expected)}`,
    surplusCell: 'The row has a cell in a column without a header',
    date: (column: string) => `${column} is a date`,
    formula: (column: string) => `${column} has a formula without a stored value`,
    formulaError: (column: string) => `${column} is the error of a formula`,
    ambiguous: (column: string, whole: string, decimal: string) => `${column} can mean ${whole} or ${decimal}`,
    wrongEncoding: (column: string, intended: string) =>
      `${column} was saved in the wrong encoding; it is probably “${intended}”`,
    lostLetters: (column: string) => `${column} has lost letters that the encoding of the file does not have`,
    required: (column: string) => `${column} is required`,
    tooLong: (column: string, longest: number) => `${column} must be at most ${longest} characters`,
    oneLine: (column: string) => `${column} must be one line of text`,
    invisible: (column: string) => `${column} has a character that cannot be seen`,
    number: (column: string) => `${column} must be a number of at least 0`,
    tooLarge: (megabytes: number) => `The file is larger than ${megabytes} MB`,
    notText: 'The file is not text in UTF-8, UTF-16 or Windows-1252',
    oldWorkbook: 'The file is a workbook in the format of Excel before 2007 (XLS)',
    encryptedWorkbook: 'The workbook is protected with a password',
    damagedWorkbook: 'The file is not an XLSX workbook, or it is damaged',
    workbookTooLarge: 'The workbook is too large after decompression',
    noRows: 'The file has no rows',
    tooManyRows: (most: number) => `The file has more than ${numberText(most)} rows`,
  },
  /** How to correct the file. */
  remedies: {
    required: (column: string) => `Fill in ${column}, or delete the row.`,
    tooLong: (column: string) => `Shorten ${column}.`,
    oneLine: (column: string) => `Remove line breaks and control characters from ${column}.`,
    invisible: (column: string) =>
      `Type ${column} anew: a mark for the direction or the width of text was copied with it.`,
    number: () => 'Enter digits with a decimal point and no unit, for example 0.9.',
    duplicate: (row: number) => `Row ${row} has this name already. Rename or delete one of the two rows.`,
    missingColumn: (column: string) =>
      `Add a column with the header ${column}; its cells may be empty where that is allowed.`,
    unknownColumn: 'Delete the column, or give it the name of a column of the catalogue.',
    duplicateColumn: 'Delete one of the two columns.',
    date: (column: string) => `A spreadsheet changed the cell. Format it as text, and enter ${column} again.`,
    formula: () => 'Open the workbook in a spreadsheet and save it.',
    formulaError: () => 'Correct the formula, or enter the value instead.',
    ambiguous: (whole: string, decimal: string) => `Write ${whole} or ${decimal}.`,
    wrongEncoding: (intended: string) =>
      `Enter “${intended}” again. To prevent this, save the file as XLSX or as CSV in UTF-8.`,
    lostLetters: (column: string) => `Enter ${column} again, and save the file as XLSX or as CSV in UTF-8.`,
    notText: 'Save it as XLSX, or as CSV in UTF-8.',
    oldWorkbook: 'Save it as an Excel workbook (XLSX).',
    encryptedWorkbook: 'Save it without a password.',
    damagedWorkbook: 'Open it in a spreadsheet, and save it as an Excel workbook (XLSX).',
    splitFile: 'Split the file into several, and import one after the other.',
    addRows: 'Add a row for each fragrance below the header.',
    parser: {
      TooFewFields: 'Add the missing cells at the end of the row; they may be empty where that is allowed.',
      TooManyFields:
        'Delete the cell, or give its column a header. A text that contains the separator needs double quotes around it.',
      MissingQuotes: 'Close the double quotes that begin in this row.',
      InvalidQuotes: 'Write a double quote inside a name as two double quotes.',
    } as Record<string, string>,
  },
} as const;
