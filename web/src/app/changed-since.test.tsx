import { deviceDetail, fakeApi, ok, problem, session } from '@test/fake-api';
import { attentionItem, attentionPage } from '@test/fake-attention';
import { person } from '@test/fake-user';
import { renderApp } from '@test/render-app';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

// A repeated write whose first answer was lost, after somebody else wrote: the server carries out nothing and says so.

const SENTENCE = 'This was saved already, and has been changed since. Nothing was saved now.';
const JOB = {
  id: 'j1',
  operation: 'assign_csp',
  startedBy: 'ada@example.com',
  retriedBy: null,
  state: 'done',
  counts: { total: 1, waiting: 0, done: 0, failed: 1, left: 0, cancelled: 0 },
  createdAt: '2026-11-20T12:00:00Z',
  endedAt: '2026-11-20T12:00:09Z',
  resumesAt: null,
  undoes: null,
  undoneBy: null,
  can: { cancel: false, retry: true, undo: false },
  unfinished: [{ dsn: 'B2', state: 'failed', reason: 'It is locked.' }],
};
const { dsn } = deviceDetail();
const CSP = { id: 'c1', name: 'AirCo', deviceCount: 0, userCount: 0, isFree: true, can: { edit: true } };
const USER = person();

const press = async (name: string | RegExp) => userEvent.click(await screen.findByRole('button', { name }));

async function rename(label: string): Promise<void> {
  const input = await screen.findByRole('textbox', { name: label });
  fireEvent.change(input, { target: { value: 'Mine' } });
  await press('Save');
}

interface Write {
  address: string;
  /** What the page reads, and its response before and after the change of another person. */
  read: string;
  before: unknown;
  after: unknown;
  write: string;
  submit: () => Promise<void>;
  /** Checks that the page shows the present state; forms keep what was typed. */
  shows?: () => Promise<void>;
}

const WRITES: Record<string, Write> = {
  'an intensity': {
    address: `/devices/${dsn}`,
    read: `GET /api/devices/dsns/${dsn}`,
    before: deviceDetail({ mode: 3, intensity: 20 }),
    after: deviceDetail({ mode: 3, intensity: 32 }),
    write: `PUT /api/devices/dsns/${dsn}/settings`,
    submit: async () => {
      const slider = await screen.findByRole('slider', { name: 'Intensity' });
      fireEvent.pointerDown(slider);
      fireEvent.change(slider, { target: { value: 31 } });
      fireEvent.pointerUp(window);
    },
    shows: async () => {
      await waitFor(() => expect(screen.getByRole('slider', { name: 'Intensity' })).toHaveValue('32'));
    },
  },
  'an acknowledgement': {
    address: '/attention',
    read: 'GET /api/attention',
    before: attentionPage([attentionItem()]),
    after: attentionPage([attentionItem({ occurrences: 3 })]),
    write: 'POST /api/attention/update',
    submit: async () => {
      await userEvent.click(await screen.findByRole('checkbox', { name: `Select Runs dry soon, ${dsn}` }));
      await press('Acknowledge');
    },
    shows: async () => {
      expect(await screen.findByText('Opened 3 times')).toBeVisible();
    },
  },
  'a retried job': {
    address: '/jobs/j1',
    read: 'GET /api/jobs/j1',
    before: JOB,
    after: { ...JOB, retriedBy: 'kim@example.com', can: { ...JOB.can, retry: false } },
    write: 'POST /api/jobs/j1/retry',
    submit: () => press(/^Retry/),
    shows: async () => {
      await waitFor(() => expect(screen.queryByRole('button', { name: /^Retry/ })).not.toBeInTheDocument());
    },
  },
  'a CSP': {
    address: '/csps/c1',
    read: 'GET /api/csps/c1',
    before: CSP,
    after: { ...CSP, name: 'Theirs' },
    write: 'PUT /api/csps/c1',
    submit: () => rename('Name'),
  },
  'a user': {
    address: `/users/${USER.id}`,
    read: `GET /api/users/${USER.id}`,
    before: USER,
    after: { ...USER, firstname: 'Theirs' },
    write: `PUT /api/users/${USER.id}`,
    submit: () => rename('First Name'),
  },
};

test.each(Object.entries(WRITES))(
  '%s that has been changed since is read again, and the sentence is shown',
  async (_, one) => {
    let hasChanged = false;
    const api = fakeApi({
      'GET /api/session': () =>
        ok({ ...session, can: [...session.can, 'attention.view', 'attention.edit', 'jobs.view'] }),
      'GET /api/csps/all': () => ok([{ id: 'c1', name: 'AirCo' }]),
      'GET /api/csps': () => ok({ csps: [], total: 0, currentPageNumber: 1, asOf: '' }),
      'GET /api/users': () => ok({ users: [], total: 0, currentPageNumber: 1, asOf: null }),
      'GET /api/jobs': () => ok({ jobs: [], next: null }),
      'GET /api/jobs/j1/targets': () =>
        ok({ targets: JOB.unfinished.map((target) => ({ ...target, serialNumber: null, changes: [] })), next: null }),
      'GET /api/attention/assignees': () => ok([]),
      [one.read]: () => ok(hasChanged ? one.after : one.before),
      [one.write]: () => {
        hasChanged = true;
        return problem(409, 'changed_since', { detail: SENTENCE });
      },
    });
    renderApp(one.address);
    await one.submit();
    await waitFor(() => expect(api.count(one.write)).toBe(1));
    expect((await screen.findAllByText((text) => text.includes(SENTENCE)))[0]).toBeVisible();
    const written = api.calls.findLastIndex(({ method }) => method !== 'GET');
    const readAgain = () =>
      api.calls.slice(written).filter(({ method, url }) => `${method} ${url.pathname}` === one.read);
    await waitFor(() => expect(readAgain()).not.toEqual([]));
    await one.shows?.();
  },
);
