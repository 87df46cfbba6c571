import { fakeApi, ok, problem } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

const ASK = 'POST /api/password/reset';

function open(answer: () => Response | Promise<Response>) {
  const api = fakeApi({ 'GET /api/session': () => ok(null), [ASK]: answer });
  renderApp('/password/reset');
  return api;
}

async function ask(email: string) {
  await userEvent.type(await screen.findByLabelText('Email'), email);
  await userEvent.click(screen.getByRole('button', { name: 'Send reset token' }));
}

test.each([
  ['all is well', () => new Response(null, { status: 204 })],
  ['the server fails', () => problem(500, 'internal')],
])('the notice is the same when %s', async (_, answer) => {
  const api = open(answer);
  await ask(' jo@example.com ');
  const notice = await screen.findByRole('status');
  expect(notice).toHaveTextContent(
    'A reset token was sent to jo@example.com, if there is an account with that address.',
  );
  expect(notice).toHaveFocus();
  expect(screen.getByRole('link', { name: 'Set Password' })).toHaveAttribute('href', '/password/set');
  expect(screen.getAllByRole('link', { name: 'Sign in' })[0]).toHaveAttribute('href', '/signin');
  expect(api.calls.find(({ method }) => method === 'POST')?.body).toEqual({ email: 'jo@example.com' });
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

test.each([
  ['no network', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['a proxy without a server', () => new Response('<html>', { status: 502 })],
  ['an unavailable server', () => problem(503, 'unavailable')],
  ['a proxy that gave up', () => new Response('<html>', { status: 504 })],
])('with %s the notice is followed by a line, and the request can be sent again', async (_, answer) => {
  let isReached = false;
  open(() => (isReached ? new Response(null, { status: 204 }) : answer()));
  await ask('jo@example.com');
  expect(await screen.findByRole('status')).toHaveTextContent(
    /^A reset token was sent to jo@example\.com, .* The server could not be reached\. Nothing was sent\.$/,
  );
  isReached = true;
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByLabelText('Email')).toHaveValue('jo@example.com');
  await userEvent.click(screen.getByRole('button', { name: 'Send reset token' }));
  expect(await screen.findByRole('status')).not.toHaveTextContent('The server could not be reached');
});

test('an invalid address is not sent', async () => {
  const api = open(() => new Response(null, { status: 204 }));
  await ask('jo');
  expect(await screen.findByRole('alert')).toHaveTextContent('Must be an email address');
  expect(api.count(ASK)).toBe(0);
});

test.each([
  [
    'too many',
    () => problem(429, 'too_many_requests', { detail: 'Too many attempts. Please wait a moment.' }),
    'Too many attempts. Please wait a moment.',
  ],
  [
    'an address that the server takes for none',
    () => problem(422, 'invalid', { errors: { email: ['Must be another'] } }),
    'Must be another',
  ],
])('%s shows an error under the address and can be retried', async (_, answer, text) => {
  let isRefused = true;
  open(() => (isRefused ? answer() : new Response(null, { status: 204 })));
  await ask('jo@example.com');
  expect(await screen.findByRole('alert')).toHaveTextContent(text);
  isRefused = false;
  await userEvent.click(screen.getByRole('button', { name: 'Send reset token' }));
  expect(await screen.findByRole('status')).toBeVisible();
});

test('the address that was typed on the sign-in page is not typed again, and is not in the URL', async () => {
  fakeApi({ 'GET /api/session': () => ok(null), [ASK]: () => new Response(null, { status: 204 }) });
  const { router } = renderApp('/signin');
  await userEvent.type(await screen.findByLabelText('Email'), ' jo@example.com ');
  await userEvent.click(screen.getByRole('link', { name: 'Forgot password?' }));
  expect(await screen.findByRole('heading', { name: 'Reset password' })).toBeVisible();
  expect(screen.getByLabelText('Email')).toHaveValue('jo@example.com');
  expect(router.state.location.href).toBe('/password/reset');
});
