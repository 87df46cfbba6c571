import { numberText } from './number-text';

/** 'Devices 6 - 10 of 12'; `shown` is the number of rows on this page. */
export function listFooter(noun: string, page: number, pageSize: number, shown: number, total: number): string {
  const before = shown === 0 ? 0 : (page - 1) * pageSize;
  const first = shown === 0 ? 0 : before + 1;
  return `${noun} ${numberText(first)} - ${numberText(before + shown)} of ${numberText(total)}`;
}

export function lastPage(total: number, pageSize: number): number {
  return Math.max(1, Math.ceil(total / pageSize));
}
