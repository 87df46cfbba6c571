import { fakeApi, ok, problem } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

const CANCEL = 'POST /api/account/email/cancel';

test('a token in the address is sent only after a click, and is removed from the address', async () => {
  const api = fakeApi({ 'GET /api/session': () => ok(null), [CANCEL]: () => new Response(null, { status: 204 }) });
  const { router } = renderApp('/account/email/cancel?token=0a1b');
  const submit = await screen.findByRole('button', { name: 'Cancel the change' });
  expect(screen.getByLabelText('Cancellation token')).toHaveValue('0a1b');
  expect(router.state.location.href).toBe('/account/email/cancel');
  expect(api.count(CANCEL)).toBe(0);
  await userEvent.click(submit);
  expect(await screen.findByText('The change is cancelled. Sign in with your old email address.')).toHaveFocus();
  expect(api.calls.find(({ method }) => method === 'POST')?.body).toEqual({ token: '0a1b' });
  expect(screen.getByRole('link', { name: 'Set a new password' })).toHaveAttribute('href', '/password/reset');
  expect(screen.getAllByRole('link', { name: 'Sign in' })[0]).toHaveAttribute('href', '/signin');
});

test('a token is required', async () => {
  const api = fakeApi({ 'GET /api/session': () => ok(null), [CANCEL]: () => new Response(null, { status: 204 }) });
  renderApp('/account/email/cancel');
  await userEvent.click(await screen.findByRole('button', { name: 'Cancel the change' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('Required');
  expect(api.count(CANCEL)).toBe(0);
});

test.each([
  ['an invalid token', { cancellation_token: ['is invalid'] }, 'is invalid'],
  ['a taken address', { email: ['has already been taken'] }, 'Another account uses this email address.'],
  ['no field', {}, 'Invalid Token'],
])('an error with %s is shown below the token', async (_, errors, text) => {
  fakeApi({ 'GET /api/session': () => ok(null), [CANCEL]: () => problem(422, 'invalid', { errors }) });
  renderApp('/account/email/cancel?token=0a1b');
  await userEvent.click(await screen.findByRole('button', { name: 'Cancel the change' }));
  expect(await screen.findByRole('alert')).toHaveTextContent(text);
});
