export const jobs = {
  states: { running: 'Running', done: 'Done', cancelled: 'Cancelled', interrupted: 'Interrupted' },
  progress: (done: number, total: number) => `${done} of ${total} devices done`,
  notDone: (failed: number, cancelled: number) =>
    [failed && `${failed} failed`, cancelled && `${cancelled} cancelled`].filter(Boolean).join(', '),
  goesOn: 'You can close this page; the job continues.',
  interrupted: 'Your session or your permission ended before the job was finished.',
  failures: 'Failed devices',
  moreFailures: (count: number) => `and ${count} more`,
  cancel: 'Stop',
  cancelFailed: (reason: string) => `Failed to stop. ${reason}`,
  retry: 'Retry',
  retryFailed: (reason: string) => `Failed to retry. ${reason}`,
  failed: 'Failed to load progress',
} as const;
