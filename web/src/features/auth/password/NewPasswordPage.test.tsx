import { fakeApi, ok, problem } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { Problem } from '@/api/schema.gen';

const SET = 'POST /api/password/set';
const GOOD = 'Other-Horse-2';

function open(address = '/password/set', answer = () => new Response(null, { status: 204 })) {
  const api = fakeApi({ 'GET /api/session': () => ok(null), [SET]: answer });
  return { api, ...renderApp(address) };
}

const field = (label: string) => screen.findByLabelText(label, { selector: 'input' });

async function submit(token: string, password: string, confirmation: string) {
  for (const [label, text] of [
    ['Reset token *', token],
    ['New password *', password],
    ['Confirm new password *', confirmation],
  ] as const) {
    if (text) await userEvent.type(await field(label), text);
  }
  await userEvent.click(await screen.findByRole('button', { name: 'Set Password' }));
}

test('the token of the link fills the field and is removed from address and history', async () => {
  const { router } = open('/password/set?token=0a1b');
  expect(await field('Reset token *')).toHaveValue('0a1b');
  await waitFor(() => expect(router.state.location.href).toBe('/password/set'));
  expect(router.history.length).toBe(1);
  expect(await field('Reset token *')).toHaveValue('0a1b');
});

test('a saved password is announced with a link to sign-in', async () => {
  const { api } = open();
  await submit(' 0a1b ', GOOD, GOOD);
  const done = await screen.findByText('Your password has been changed.');
  expect(done).toHaveFocus();
  expect(screen.getAllByRole('link', { name: 'Sign in' })[0]).toHaveAttribute('href', '/signin');
  const sent = { token: '0a1b', newPassword: GOOD, confirmNewPassword: GOOD };
  expect(api.calls.find(({ method }) => method === 'POST')?.body).toEqual(sent);
});

test('missing, weak and different passwords are field errors, and nothing is sent', async () => {
  const { api } = open();
  await submit('', 'short', 'other');
  expect(await field('Reset token *')).toHaveAccessibleDescription('Required');
  expect(await field('Reset token *')).toHaveFocus();
  expect(await field('New password *')).toHaveAccessibleDescription(/Must be 8 to 128 characters/);
  expect(await field('Confirm new password *')).toHaveAccessibleDescription('Does not match');
  expect(api.count(SET)).toBe(0);
});

test.each<[string, number, Partial<Problem>, string, string]>([
  ['password', 422, { errors: { password: ['Too weak'] } }, 'New password *', 'Too weak'],
  ['confirm_password', 422, { errors: { confirm_password: ['Other'] } }, 'Confirm new password *', 'Other'],
  ['password_confirmation', 422, { errors: { password_confirmation: ['Other'] } }, 'Confirm new password *', 'Other'],
  ['reset_password_token', 422, { errors: { reset_password_token: ['not found'] } }, 'Reset token *', 'not found'],
  [
    'no field',
    502,
    { detail: 'The device cloud cannot be reached.' },
    'Reset token *',
    'The device cloud cannot be reached.',
  ],
])('what the server says of %s stands where it belongs', async (_, status, rest, label, text) => {
  open('/password/set', () => problem(status, 'invalid', rest));
  await submit('0a1b', GOOD, GOOD);
  await waitFor(async () => expect(await field(label)).toHaveAccessibleDescription(expect.stringContaining(text)));
  expect(await field(label)).toHaveFocus();
});
