import { type Call, fakeApi, ok, problem, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { AccountToken } from '@/api/schema.gen';

const CREATE = 'POST /api/account/tokens';
const SECRET = `sillage_${'07'.repeat(32)}`;
const report: AccountToken = {
  id: 'report',
  name: 'Nightly report',
  rights: ['devices_read', 'jobs_write'],
  createdAt: '2026-11-20T15:41:00Z',
  expiresAt: '2026-12-20T15:41:00Z',
  lastUsedAt: null,
  address: null,
};

function open(tokens: () => AccountToken[], handlers: Record<string, (call: Call) => Response> = {}) {
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    'GET /api/account': () => ok({}),
    'GET /api/account/tokens': () => ok(tokens()),
    ...handlers,
  });
  return { api, ...renderApp('/account?tab=tokens') };
}

async function create(name: string, rights: string[], password: string) {
  if (name) await userEvent.type(await screen.findByLabelText('Name *'), name);
  for (const right of rights) await userEvent.click(screen.getByRole('checkbox', { name: right }));
  if (password) {
    await userEvent.type(screen.getByLabelText('Current password *', { selector: 'input' }), password);
  }
  await userEvent.click(await screen.findByRole('button', { name: 'Create token' }));
}

test('a new token is shown once and can be copied', async () => {
  // Provides the clipboard.
  userEvent.setup();
  let tokens: AccountToken[] = [];
  const { api } = open(() => tokens, {
    [CREATE]: () => {
      tokens = [report];
      return ok({ ...report, token: SECRET });
    },
  });
  expect(await screen.findByText('You have no access tokens.')).toBeVisible();
  await create('Nightly report', ['Read devices', 'Read and change jobs'], 'Correct-Horse-1');
  expect(await screen.findByText('Copy the token now. It is not shown again.')).toBeVisible();
  expect(api.calls.find(({ method }) => method === 'POST')?.body).toEqual({
    name: 'Nightly report',
    rights: ['devices_read', 'jobs_write'],
    expiresInDays: 90,
    password: 'Correct-Horse-1',
  });
  expect(screen.getByLabelText('Access token')).toHaveValue(SECRET);
  await userEvent.click(screen.getByRole('button', { name: 'Copy' }));
  expect(await screen.findByText('Copied the token')).toBeVisible();
  expect(await navigator.clipboard.readText()).toBe(SECRET);
  await userEvent.click(screen.getByRole('tab', { name: 'Sessions' }));
  expect(await screen.findByRole('dialog', { name: 'Leave without keeping it?' })).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Stay' }));
  expect(screen.getByLabelText('Access token')).toHaveValue(SECRET);
  await userEvent.click(screen.getByRole('button', { name: 'I have kept the token' }));
  expect(screen.queryByLabelText('Access token')).not.toBeInTheDocument();
  const [row] = await screen.findAllByRole('listitem');
  expect(row).toHaveTextContent(/^Nightly reportRead devices, Read and change jobsExpires Dec 20, 2026, .*Never used/);
  expect(screen.getByLabelText('Current password *', { selector: 'input' })).toHaveValue('');
});

test('a form with missing values is not sent', async () => {
  const { api } = open(() => []);
  await screen.findByText('You have no access tokens.');
  await create('', [], '');
  expect(screen.getByLabelText('Name *')).toHaveAccessibleDescription('Required');
  expect(screen.getByLabelText('Current password *', { selector: 'input' })).toHaveAccessibleDescription('Required');
  expect(screen.getByRole('alert')).toHaveTextContent('Required');
  expect(api.count(CREATE)).toBe(0);
});

test('a wrong password is a field error, and other failures are announced', async () => {
  let answer = problem(422, 'invalid', { errors: { password: ['is invalid'] } });
  open(() => [], { [CREATE]: () => answer });
  await screen.findByText('You have no access tokens.');
  await create('Report', ['Read devices'], 'Wrong-Horse-1');
  const password = screen.getByLabelText('Current password *', { selector: 'input' });
  await waitFor(() => expect(password).toHaveAccessibleDescription('is invalid'));
  answer = problem(409, 'conflict', { detail: 'You already have 20 access tokens. Revoke one first.' });
  await create('', [], '');
  expect(await screen.findByText('You already have 20 access tokens. Revoke one first.')).toBeVisible();
  expect(screen.getByText('Failed to create access token')).toBeVisible();
});

test('a token shows its last use and can be revoked', async () => {
  let tokens: AccountToken[] = [{ ...report, lastUsedAt: '2026-11-20T15:41:00Z', address: '192.0.2.7' }];
  const { api } = open(() => tokens, {
    'DELETE /api/account/tokens/report': () => {
      tokens = [];
      return new Response(null, { status: 204 });
    },
  });
  const [row] = await screen.findAllByRole('listitem');
  if (!row) throw new Error('one token');
  expect(row).toHaveTextContent(/Last used .* from 192\.0\.2\.7/);
  await userEvent.click(within(row).getByRole('button', { name: 'Revoke the token Nightly report' }));
  expect(await screen.findByText('Successfully revoked access token')).toBeVisible();
  expect(await screen.findByText('You have no access tokens.')).toBeVisible();
  expect(api.count('DELETE /api/account/tokens/report')).toBe(1);
});

test('tokens that cannot be read can be retried', async () => {
  let fails = true;
  open(() => [], { 'GET /api/account/tokens': () => (fails ? problem(500, 'internal') : ok([report])) });
  expect(await screen.findByText('Failed to load your access tokens')).toBeVisible();
  fails = false;
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByText('Nightly report')).toBeVisible();
});
