export const jobs = {
  states: { running: 'Running', done: 'Done', cancelled: 'Cancelled', interrupted: 'Interrupted' },
  progress: (done: number, total: number) => `${done} of ${total} devices done`,
  notDone: (failed: number, cancelled: number) =>
    [failed && `${failed} failed`, cancelled && `${cancelled} cancelled`].filter(Boolean).join(', '),
  goesOn: 'It goes on when you close this page.',
  interrupted: 'Your session or your right ended before all devices had their turn.',
  failures: 'What failed',
  moreFailures: (count: number) => `and ${count} more`,
  cancel: 'Stop',
  cancelFailed: (reason: string) => `Failed to stop. ${reason}`,
  retry: 'Retry',
  retryFailed: (reason: string) => `Failed to retry. ${reason}`,
  failed: 'Failed to load progress',
} as const;
