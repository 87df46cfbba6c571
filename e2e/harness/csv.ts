import { readFileSync } from 'node:fs';
import type { Download } from '@playwright/test';
import { expect } from './fixtures';

const BYTE_ORDER_MARK = '\uFEFF';

/** The cells of the records of a CSV file, the header first. Each cell is quoted. No cell of the demo has a line break. */
export async function csvRecords(download: Download, separator = ','): Promise<string[][]> {
  const text = readFileSync(await download.path(), 'utf8');
  expect(text.startsWith(BYTE_ORDER_MARK)).toBe(true);
  const records = text.slice(BYTE_ORDER_MARK.length).trimEnd().split('\r\n');
  return records.map((record) => {
    expect(record).toMatch(/^".*"$/);
    return record
      .slice(1, -1)
      .split(`"${separator}"`)
      .map((cell) => cell.replaceAll('""', '"'));
  });
}
