import { fakeApi, ok, problem } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

const CONFIRM = 'POST /api/account/confirm';

test('a token in the address is sent automatically, once, after the session is known', async () => {
  let resolveSession: (session: Response) => void = () => undefined;
  const api = fakeApi({
    'GET /api/session': () => new Promise((resolve) => (resolveSession = resolve)),
    [CONFIRM]: () => new Response(null, { status: 204 }),
  });
  const { router } = renderApp('/account/confirm?token=0a1b');
  await waitFor(() => expect(api.count('GET /api/session')).toBe(1));
  expect(api.count(CONFIRM)).toBe(0);
  resolveSession(ok(null));
  expect(await screen.findByText('Account Confirmed')).toHaveFocus();
  expect(api.count(CONFIRM)).toBe(1);
  expect(api.calls.find(({ method }) => method === 'POST')?.body).toEqual({ token: '0a1b' });
  expect(router.state.location.href).toBe('/account/confirm');
  expect(screen.getAllByRole('link', { name: 'Sign in' })[0]).toHaveAttribute('href', '/signin');
  await userEvent.click(screen.getByRole('link', { name: 'Set your own password' }));
  // The token sets the first password, too.
  expect(await screen.findByLabelText('Reset token *')).toHaveValue('0a1b');
});

test.each(['0a1b%0A', '%20%0D%0A0a1b', '0a%0D%0A1b'])(
  'line breaks in the link do not belong to the token: %s',
  async (link) => {
    const api = fakeApi({ 'GET /api/session': () => ok(null), [CONFIRM]: () => new Response(null, { status: 204 }) });
    renderApp(`/account/confirm?token=${link}`);
    expect(await screen.findByText('Account Confirmed')).toBeVisible();
    expect(api.calls.find(({ method }) => method === 'POST')?.body).toEqual({ token: '0a1b' });
  },
);

test('without a token the page shows a field for it, and nothing is sent automatically', async () => {
  const api = fakeApi({ 'GET /api/session': () => ok(null), [CONFIRM]: () => new Response(null, { status: 204 }) });
  renderApp('/account/confirm');
  await userEvent.click(await screen.findByRole('button', { name: 'Confirm' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('Required');
  expect(api.count(CONFIRM)).toBe(0);
  await userEvent.type(screen.getByLabelText('Confirmation token'), ' 0a1b{Enter}');
  expect(await screen.findByText('Account Confirmed')).toBeVisible();
  expect(api.calls.find(({ method }) => method === 'POST')?.body).toEqual({ token: '0a1b' });
});

test.each([
  ['nothing', () => problem(422, 'invalid', { detail: 'Some values are not valid.' }), 'Invalid Token'],
  ['something', () => problem(422, 'invalid', { errors: { confirmation_token: ['is invalid'] } }), 'is invalid'],
  ['that it is out of order', () => problem(502, 'cloud_failed', { detail: 'Out of order' }), 'Out of order'],
])('the error %s is shown under the token', async (_, answer, text) => {
  fakeApi({ 'GET /api/session': () => ok(null), [CONFIRM]: answer });
  renderApp('/account/confirm?token=0a1b');
  expect(await screen.findByRole('alert')).toHaveTextContent(text);
  expect(screen.getByLabelText('Confirmation token')).toHaveValue('0a1b');
  expect(screen.getByLabelText('Confirmation token')).toHaveAccessibleDescription(text);
});

test('a used token of a confirmed account leads to the sign-in', async () => {
  fakeApi({ 'GET /api/session': () => ok(null), [CONFIRM]: () => problem(409, 'conflict') });
  renderApp('/account/confirm?token=0a1b%0A');
  expect(await screen.findByText('Your account is confirmed already.')).toHaveFocus();
  expect(screen.getAllByRole('link', { name: 'Sign in' })[0]).toHaveAttribute('href', '/signin');
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

test('a session that cannot be read delays nothing', async () => {
  fakeApi({ 'GET /api/session': () => problem(500, 'internal'), [CONFIRM]: () => new Response(null, { status: 204 }) });
  renderApp('/account/confirm?token=0a1b');
  expect(await screen.findByText('Account Confirmed')).toBeVisible();
});
