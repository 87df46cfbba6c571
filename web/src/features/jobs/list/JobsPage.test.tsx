import { fakeApi, ok, problem, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { Job, JobSummary, JobTarget, JobTargetChanges } from '@/api/schema.gen';

const who = { ...session, can: [...session.can, 'jobs.view' as const] };

function summary(part: Partial<JobSummary> = {}): JobSummary {
  return {
    id: 'j1',
    operation: 'assign_csp',
    startedBy: 'ada@example.com',
    retriedBy: null,
    state: 'done',
    counts: { total: 3, waiting: 0, done: 2, failed: 1, left: 0, cancelled: 0 },
    createdAt: '2026-11-20T12:00:00Z',
    endedAt: '2026-11-20T12:00:09Z',
    resumesAt: null,
    undoes: null,
    undoneBy: null,
    can: { cancel: false, retry: true, undo: false },
    ...part,
  };
}

const UNFINISHED: JobTarget[] = [{ dsn: 'B2', state: 'failed', reason: 'It is locked.' }];
const TARGETS: JobTargetChanges[] = [
  {
    ...{ dsn: 'A1', serialNumber: 'SL-1', state: 'done', reason: null },
    changes: [{ field: 'csp', before: 'North', after: 'South' }],
  },
  ...UNFINISHED.map((target) => ({ ...target, serialNumber: null, changes: [] })),
];

function open(address: string, handlers: Parameters<typeof fakeApi>[0] = {}) {
  const api = fakeApi({
    'GET /api/session': () => ok(who),
    'GET /api/jobs': ({ url }) =>
      ok({ jobs: url.searchParams.has('running') ? [] : [summary(), summary({ id: 'j2' })], next: null }),
    'GET /api/jobs/j1': () => ok({ ...summary(), unfinished: UNFINISHED } satisfies Job),
    'GET /api/jobs/j1/targets': () => ok({ targets: TARGETS, next: null }),
    ...handlers,
  });
  return { api, ...renderApp(address) };
}

test('jobs are listed with their progress, and a row opens the job with the result of each device', async () => {
  open('/jobs');
  const [row] = await screen.findAllByRole('row', { name: /Assigned devices to a CSP/ });
  expect(row).toHaveTextContent('Done2 of 3 devices done1 failed');
  expect(row).toHaveTextContent('ada@example.com');
  await userEvent.click(row as HTMLElement);
  expect(await screen.findByRole('heading', { name: 'Assigned devices to a CSP' })).toBeVisible();
  const devices = within(screen.getByRole('region', { name: 'Devices' }));
  expect(await devices.findByRole('row', { name: /B2/ })).toHaveTextContent('FailedIt is locked.');
  // With the serial number, from where and to where.
  expect(devices.getByRole('link', { name: 'SL-1' })).toHaveAttribute('href', '/devices/A1');
  expect(devices.getByRole('row', { name: /SL-1/ })).toHaveTextContent(/^SL-1A1DoneCSP North → .*South$/);
  expect(devices.getByRole('link', { name: 'B2' })).toHaveAttribute('href', '/devices/B2');
});

test('failed devices are retried from the page of the job', async () => {
  const retried = summary({
    state: 'done',
    counts: { total: 3, waiting: 0, done: 3, failed: 0, left: 0, cancelled: 0 },
  });
  const { api } = open('/jobs/j1', {
    'POST /api/jobs/j1/retry': () =>
      ok({ ...retried, can: { cancel: false, retry: false, undo: false }, unfinished: [] }),
  });
  await userEvent.click(await screen.findByRole('button', { name: 'Retry' }));
  expect(await screen.findByText('3 of 3 devices done')).toBeVisible();
  expect(api.count('POST /api/jobs/j1/retry')).toBe(1);
});

test('an ended job is undone from its page, which leads to the job that undoes it', async () => {
  const can = { cancel: false, retry: false, undo: true };
  const counts = { total: 2, waiting: 0, done: 1, failed: 0, left: 1, cancelled: 0 };
  const undo = summary({ id: 'j5', operation: 'undo_job', undoes: 'j1', counts });
  const left: JobTarget = { dsn: 'B2', state: 'left', reason: 'Changed since, so left: CSP.' };
  const { api, router } = open('/jobs/j1', {
    'GET /api/jobs/j1': () => ok({ ...summary({ can }), unfinished: [] }),
    'POST /api/jobs/j1/undo': () => Response.json({ ...undo, unfinished: [left] }, { status: 202 }),
    'GET /api/jobs/j5': () => ok({ ...undo, unfinished: [left] }),
    'GET /api/jobs/j5/targets': () => ok({ targets: [{ ...left, serialNumber: null, changes: [] }], next: null }),
  });
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(await screen.findByRole('heading', { name: 'Undid: Assigned devices to a CSP' })).toBeVisible();
  expect(router.state.location.pathname).toBe('/jobs/j5');
  expect(screen.getByText('1 not fully undone')).toBeVisible();
  expect(await screen.findByRole('row', { name: /B2/ })).toHaveTextContent(
    'Not fully undoneChanged since, so left: CSP.',
  );
  expect(screen.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Show the undone job' })).toHaveAttribute('href', '/jobs/j1');
  expect(api.count('POST /api/jobs/j1/undo')).toBe(1);
});

test('a refused undo shows its reason', async () => {
  const can = { cancel: false, retry: false, undo: true };
  open('/jobs/j1', {
    'GET /api/jobs/j1': () => ok({ ...summary({ can }), unfinished: [] }),
    'POST /api/jobs/j1/undo': () => problem(409, 'conflict', { detail: 'The job has been undone already.' }),
  });
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(await screen.findByText('Failed to undo. The job has been undone already.')).toBeVisible();
});

test('a paused job shows that it will continue, and the navigation marks a running job', async () => {
  const paused = summary({ state: 'running', resumesAt: '2026-11-20T12:05:00Z', endedAt: null });
  open('/jobs/j1', {
    'GET /api/jobs': () => ok({ jobs: [paused], next: null }),
    'GET /api/jobs/j1': () => ok({ ...paused, unfinished: [] }),
  });
  expect(await screen.findByText(/The device cloud does not respond. The job continues by itself at/)).toBeVisible();
  const mark = await screen.findAllByRole('img', { name: 'A job is running' });
  expect(mark[0]).toBeInTheDocument();
});

test('further pages of jobs are read on request', async () => {
  const { api } = open('/jobs', {
    'GET /api/jobs': ({ url }) => {
      const { searchParams } = url;
      if (searchParams.has('running')) return ok({ jobs: [], next: null });
      return searchParams.get('before') === 'j1'
        ? ok({ jobs: [summary({ id: 'j0', operation: 'copy_device' })], next: null })
        : ok({ jobs: [summary()], next: 'j1' });
    },
  });
  await userEvent.click(await screen.findByRole('button', { name: 'Show older' }));
  expect(await screen.findByText('Copied device details')).toBeVisible();
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Show older' })).not.toBeInTheDocument());
  expect(api.count('GET /api/jobs')).toBe(3);
});

test('a job of another user is not found', async () => {
  open('/jobs/j9', {
    'GET /api/jobs/j9': () => problem(404, 'not_found'),
    'GET /api/jobs/j9/targets': () => problem(404, 'not_found'),
  });
  expect(await screen.findByText('It was started by somebody else, or more than 30 days ago.')).toBeVisible();
});

test('an empty list explains how jobs are started', async () => {
  open('/jobs', { 'GET /api/jobs': () => ok({ jobs: [], next: null }) });
  expect(await screen.findByText('No jobs yet')).toBeVisible();
});

test('an undo without any effect says that nothing could be undone, and why', async () => {
  const counts = { total: 833, waiting: 0, done: 0, failed: 0, left: 833, cancelled: 0 };
  const reason = 'The former CSP “South” has been removed.';
  const left: JobTarget[] = ['A1', 'B2'].map((dsn) => ({ dsn, state: 'left', reason }));
  const undo = summary({ id: 'j5', operation: 'undo_job', undoes: 'j1', counts });
  open('/jobs', {
    'GET /api/jobs': ({ url }) => ok({ jobs: url.searchParams.has('running') ? [] : [undo, summary()], next: null }),
    'GET /api/jobs/j5': () => ok({ ...undo, unfinished: left }),
    'GET /api/jobs/j5/targets': () =>
      ok({ targets: left.map((target) => ({ ...target, serialNumber: null, changes: [] })), next: null }),
  });
  await userEvent.click(await screen.findByRole('row', { name: /Undid: Assigned devices to a CSP.*Nothing undone/ }));
  expect(await screen.findByText(`Nothing could be undone, because: ${reason}`)).toBeVisible();
  expect(screen.getByText('Nothing undone')).toBeVisible();
});

test('j and k move between jobs', async () => {
  open('/jobs');
  const table = within(await screen.findByRole('table', { name: 'Jobs' }));
  const [first, second] = table.getAllByRole('link');
  await userEvent.keyboard('jj');
  expect(second).toHaveFocus();
  await userEvent.keyboard('k');
  expect(first).toHaveFocus();
});
