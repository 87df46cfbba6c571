import { type Call, fakeApi, ok, problem, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

const CHANGE = 'PUT /api/account/password';
const [NOW, NEW] = ['Correct-Horse-1', 'Other-Horse-2'];

function open(answer: (call: Call) => Response) {
  let isSignedIn = true;
  const api = fakeApi({
    'GET /api/session': () => ok(isSignedIn ? session : null),
    'GET /api/account': () => ok({ email: session.user.email }),
    'DELETE /api/session': () => {
      isSignedIn = false;
      return new Response(null, { status: 204 });
    },
    [CHANGE]: answer,
  });
  return { api, ...renderApp('/account?tab=password') };
}

const field = (label: string) => screen.findByLabelText(`${label} *`, { selector: 'input' });

async function change(current: string, next: string, confirmation = next) {
  for (const [label, text] of [
    ['Current password', current],
    ['New password', next],
    ['Confirm new password', confirmation],
  ] as const) {
    if (text) await userEvent.type(await field(label), text);
  }
  await userEvent.click(await screen.findByRole('button', { name: 'Save' }));
}

test('a changed password is announced, and the fields are cleared', async () => {
  const { api, router } = open(() => ok({ ...session, csp: 'North' }));
  await change(NOW, NEW);
  expect(await screen.findByText('Successfully updated password')).toBeVisible();
  expect(api.calls.find(({ method }) => method === 'PUT')?.body).toEqual({ current: NOW, new: NEW });
  await waitFor(async () => expect(await field('Current password')).toHaveValue(''));
  expect(await field('New password')).toHaveValue('');
  expect(router.state.location.href).toBe('/account?tab=password');
  expect(Object.keys(sessionStorage).filter((key) => key.startsWith('draft:'))).toEqual([]);
});

test.each([
  ['', NEW, NEW, 'Current password', 'Required'],
  [NOW, 'short', 'short', 'New password', /Must be 8 to 128 characters/],
  [NOW, NEW, 'other', 'Confirm new password', 'Does not match'],
])('%s, %s, %s is not sent', async (current, next, confirmation, label, text) => {
  const { api } = open(() => ok(session));
  await change(current, next, confirmation);
  expect(await field(label)).toHaveAccessibleDescription(text);
  expect(await field(label)).toHaveFocus();
  expect(api.count(CHANGE)).toBe(0);
});

test('a wrong current password is a field error', async () => {
  open(() => problem(422, 'invalid', { errors: { current: ['is invalid'] } }));
  await change('Wrong-Horse-1', NEW);
  expect(await screen.findByText('Failed to save new password')).toBeVisible();
  await waitFor(async () => expect(await field('Current password')).toHaveAccessibleDescription('is invalid'));
});

test('too many attempts show a message', async () => {
  open(() => problem(429, 'too_many_requests', { detail: 'Too many attempts. Please wait a moment.' }));
  await change(NOW, NEW);
  expect(await screen.findByText('Failed to save new password')).toBeVisible();
  expect(await field('Current password')).toHaveAccessibleDescription('Too many attempts. Please wait a moment.');
});

test('if no new session can start, the user is signed out with a reason', async () => {
  const { api, router } = open(() => problem(502, 'not_signed_in_anew'));
  await change(NOW, NEW);
  await waitFor(() => expect(router.state.location.pathname).toBe('/signin'));
  await waitFor(() => expect(screen.getByText('Failed to authenticate after password change')).toBeVisible());
  expect(api.count('DELETE /api/session')).toBe(1);
  expect(screen.queryByText('Failed to save new password')).not.toBeInTheDocument();
});

test('a typed password is not lost by another tab without a question', async () => {
  const { router } = open(() => ok(session));
  await userEvent.type(await field('New password'), NEW);
  await userEvent.click(screen.getByRole('tab', { name: 'Sessions' }));
  expect(await screen.findByRole('dialog', { name: 'Leave without saving?' })).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Stay' }));
  expect(router.state.location.href).toBe('/account?tab=password');
  expect(await field('New password')).toHaveValue(NEW);
});
