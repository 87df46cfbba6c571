import { numberText } from '@/domain/number-text';

/** What a job would change. */
export const preview = {
  show: 'Preview changes',
  title: 'What would change',
  loadFailed: 'Failed to load the preview',
  first: (shown: number, total: number) => `The first ${numberText(shown)} of ${numberText(total)} devices:`,
  counts: (changed: number, unchanged: number, refused: number) =>
    [`${changed} would change`, unchanged && `${unchanged} would not change`, refused && `${refused} would fail`]
      .filter(Boolean)
      .join(', '),
  unchanged: 'No change',
  more: 'Show more',
  matching: 'All devices that match when the job starts are changed.',
} as const;
