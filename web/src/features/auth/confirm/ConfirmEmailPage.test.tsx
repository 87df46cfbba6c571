import { fakeApi, ok, problem, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

const CONFIRM = 'POST /api/account/email/confirm';
const DONE = 'Your email address is changed. Sign in with the new one.';

test('without a session a token in the address waits for the password and a click, and is removed from the address', async () => {
  const api = fakeApi({ 'GET /api/session': () => ok(null), [CONFIRM]: () => new Response(null, { status: 204 }) });
  const { router } = renderApp('/account/email/confirm?token=0a1b');
  const submit = await screen.findByRole('button', { name: 'Confirm the address' });
  expect(screen.getByLabelText('Confirmation token')).toHaveValue('0a1b');
  expect(router.state.location.href).toBe('/account/email/confirm');
  await userEvent.click(submit);
  expect(await screen.findByRole('alert')).toHaveTextContent('Required');
  expect(api.count(CONFIRM)).toBe(0);
  await userEvent.type(screen.getByLabelText('Password of your account'), 'Correct-Horse-1{Enter}');
  expect(await screen.findByText(DONE)).toHaveFocus();
  expect(api.calls.find(({ method }) => method === 'POST')?.body).toEqual({
    token: '0a1b',
    current: 'Correct-Horse-1',
  });
  expect(screen.getAllByRole('link', { name: 'Sign in' })[0]).toHaveAttribute('href', '/signin');
});

test('with a session only a click is awaited, unless it is the session of another account', async () => {
  const refusals = [problem(422, 'invalid', { errors: { current: ['Required'] } })];
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    [CONFIRM]: () => refusals.pop() ?? new Response(null, { status: 204 }),
  });
  renderApp('/account/email/confirm?token=0a1b');
  const submit = await screen.findByRole('button', { name: 'Confirm the address' });
  expect(screen.queryByLabelText('Password of your account')).not.toBeInTheDocument();
  expect(api.count(CONFIRM)).toBe(0);
  await userEvent.click(submit);
  expect(await screen.findByRole('alert')).toHaveTextContent('Required');
  await userEvent.type(screen.getByLabelText('Password of your account'), 'Correct-Horse-1{Enter}');
  expect(await screen.findByText(DONE)).toHaveFocus();
  expect(api.calls.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual([
    { token: '0a1b' },
    { token: '0a1b', current: 'Correct-Horse-1' },
  ]);
});

test.each([
  ['an invalid token', { confirmation_token: ['is invalid'] }, 'is invalid', 'Confirmation token'],
  [
    'a taken address',
    { email: ['has already been taken'] },
    'Another account uses this email address.',
    'Confirmation token',
  ],
  ['a wrong password', { current: ['is invalid'] }, 'is invalid', 'Password of your account'],
])('an error with %s is shown below its field', async (_, errors, text, field) => {
  fakeApi({ 'GET /api/session': () => ok(null), [CONFIRM]: () => problem(422, 'invalid', { errors }) });
  renderApp('/account/email/confirm?token=0a1b');
  await userEvent.type(await screen.findByLabelText('Password of your account'), 'Correct-Horse-1{Enter}');
  expect(await screen.findByRole('alert')).toHaveTextContent(text);
  expect(screen.getByLabelText(field)).toHaveAccessibleDescription(expect.stringContaining(text));
});
