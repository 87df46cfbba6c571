import { type Call, deviceList, fakeApi, ok, problem, session } from '@test/fake-api';
import { fakePasskeys } from '@test/fake-passkeys';
import { renderApp } from '@test/render-app';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';

async function submit(email: string, password: string) {
  const emailField = await screen.findByLabelText('Email');
  if (email) await userEvent.type(emailField, email);
  if (password) await userEvent.type(screen.getByLabelText('Password'), password);
  await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
}

test('both fields are required, and nothing is sent without them', async () => {
  const api = fakeApi({ 'GET /api/session': () => ok(null) });
  renderApp('/signin');
  await submit('  ', '');
  expect(await screen.findByText('Email is required')).toHaveAttribute('role', 'alert');
  expect(screen.getByText('Password is required')).toBeVisible();
  expect(api.count('POST /api/session')).toBe(0);
});

test.each([
  ['a wrong password', () => problem(401, 'sign_in_failed')],
  ['too many tries', () => problem(429, 'too_many_requests')],
])('%s shows the error under the email', async (_, answer) => {
  fakeApi({ 'GET /api/session': () => ok(null), 'POST /api/session': answer });
  renderApp('/signin');
  await submit('a@b.c', 'nope');
  expect(await screen.findByRole('alert')).toHaveTextContent('Incorrect email or password');
  expect(screen.getByLabelText('Email')).toHaveAccessibleDescription('Incorrect email or password');
});

test.each([
  ['sign_in_rests', 'After five failures sign-in rests for 30 minutes. A password reset helps at once.'],
  ['account_disabled', 'This account is disabled. An administrator can enable it.'],
])('the error %s is followed by what helps', async (code, remedy) => {
  fakeApi({ 'GET /api/session': () => ok(null), 'POST /api/session': () => problem(401, code) });
  renderApp('/signin');
  await submit('a@b.c', 'nope');
  const text = `Incorrect email or password ${remedy}`;
  expect(await screen.findByRole('alert')).toHaveTextContent(text);
  expect(screen.getByLabelText('Email')).toHaveAccessibleDescription(text);
});

test('an unavailable console shows another error than a wrong password', async () => {
  const detail = 'The service is not available at the moment. Please try again later.';
  fakeApi({ 'GET /api/session': () => ok(null), 'POST /api/session': () => problem(503, 'unavailable', { detail }) });
  renderApp('/signin');
  await submit('a@b.c', 'right');
  expect(await screen.findByRole('alert')).toHaveTextContent(detail);
  expect(screen.queryByText('Incorrect email or password')).toBeNull();
});

test.each([
  ['no network', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['a failing cloud', () => problem(502, 'cloud_failed')],
  ['a proxy without a server', () => new Response('<html>', { status: 502 })],
  ['a proxy that refuses', () => new Response('<html>', { status: 503 })],
  ['a proxy that gave up', () => new Response('<html>', { status: 504 })],
])('%s shows the same error, and that nothing was sent', async (_, answer) => {
  fakeApi({ 'GET /api/session': () => ok(null), 'POST /api/session': answer });
  renderApp('/signin');
  await submit('a@b.c', 'nope');
  const text = 'Incorrect email or password The server could not be reached. Nothing was sent.';
  expect(await screen.findByRole('alert')).toHaveTextContent(text);
  expect(screen.getByLabelText('Email')).toHaveAccessibleDescription(text);
});

test('a refused password with a blank at an end has a hint', async () => {
  fakeApi({ 'GET /api/session': () => ok(null), 'POST /api/session': () => problem(401, 'sign_in_failed') });
  renderApp('/signin');
  await submit('a@b.c', 'First-Horse-1 ');
  expect(await screen.findByText('Begins or ends with a blank')).toBeVisible();
  expect(screen.getByLabelText('Email')).toHaveAccessibleDescription('Incorrect email or password');
});

test('the password can be made visible', async () => {
  fakeApi({ 'GET /api/session': () => ok(null) });
  renderApp('/signin');
  const password = await screen.findByLabelText('Password');
  expect(password).toHaveAttribute('type', 'password');
  await userEvent.click(screen.getByRole('button', { name: 'Show Password' }));
  expect(password).toHaveAttribute('type', 'text');
});

test.each([
  ['a demo', 'http://127.0.0.1:8081/demo/outbox/0a1b', true],
  ['any other server', '', false],
  ['the development server', '__DEMO_MAILBOX__', false],
])('the mailbox is linked from the page of %s', async (_, content, linked) => {
  const meta = document.head.appendChild(
    Object.assign(document.createElement('meta'), { name: 'demo-mailbox', content }),
  );
  fakeApi({ 'GET /api/session': () => ok(null) });
  renderApp('/signin');
  await screen.findByLabelText('Email');
  const link = screen.queryByRole('link', { name: 'Open the demo mailbox' });
  if (linked) expect(link).toHaveAttribute('href', content);
  else expect(link).toBeNull();
  meta.remove();
});

const STEP = 'POST /api/session/second-factor';

async function openSecondStep(answer: (call: Call) => Response) {
  let isSignedIn = false;
  const api = fakeApi({
    'GET /api/session': () => ok(isSignedIn ? session : null),
    'POST /api/session': () =>
      Response.json({ expiresAt: '2026-11-20T12:05:00Z', kinds: ['totp', 'recovery_code'] }, { status: 202 }),
    'DELETE /api/session': () => new Response(null, { status: 204 }),
    [STEP]: (call) => {
      const response = answer(call);
      isSignedIn = response.ok;
      return response;
    },
  });
  const app = renderApp('/signin');
  await submit('dana@example.com', 'right');
  return { api, ...app, code: await screen.findByRole('textbox', { name: 'Code' }) };
}

const goOn = () => userEvent.click(screen.getByRole('button', { name: 'Continue' }));

test('a user with a second factor enters a code after the password', async () => {
  const { api, code } = await openSecondStep(() => ok(session));
  expect(code).toHaveFocus();
  await goOn();
  expect(await screen.findByText('Code is required')).toBeVisible();
  expect(api.count(STEP)).toBe(0);
  await userEvent.type(code, '123 456');
  await goOn();
  await vi.waitFor(() => expect(screen.queryByRole('textbox', { name: 'Code' })).not.toBeInTheDocument());
  expect(api.calls.find(({ url }) => url.pathname.endsWith('second-factor'))?.body).toEqual({ code: '123 456' });
});

test('a wrong code is an error of the field, and another one can be entered', async () => {
  const { code } = await openSecondStep(() =>
    problem(422, 'invalid', { errors: { code: ['is not the current code'] } }),
  );
  await userEvent.type(code, '000000');
  await goOn();
  expect(await screen.findByRole('alert')).toHaveTextContent('is not the current code');
  expect(code).toHaveFocus();
});

test('a sign-in that has ended begins again with the password', async () => {
  const { code } = await openSecondStep(() => problem(401, 'sign_in_ended'));
  await userEvent.type(code, '000000');
  await goOn();
  expect(await screen.findByText('This sign-in has ended. Sign in again.')).toBeVisible();
  expect(screen.getByLabelText('Password')).toHaveValue('');
});

test('the second step can be left for another account', async () => {
  const { api } = await openSecondStep(() => ok(session));
  await userEvent.click(screen.getByRole('button', { name: 'Use another account' }));
  expect(await screen.findByLabelText('Email')).toHaveValue('');
  expect(api.count('DELETE /api/session')).toBe(1);
});

const PASSKEY_STEP = '/api/session/second-factor/passkey';

async function openPasskeyStep(get: (() => Promise<unknown>) | undefined, answer: () => Response) {
  if (get) fakePasskeys(get);
  const api = fakeApi({
    'GET /api/session': () => ok(null),
    'POST /api/session': () =>
      Response.json({ expiresAt: '2026-11-20T12:05:00Z', kinds: ['passkey', 'recovery_code'] }, { status: 202 }),
    [`POST ${PASSKEY_STEP}`]: () => ok({ options: { challenge: 'AA' } }),
    [`PUT ${PASSKEY_STEP}`]: answer,
  });
  renderApp('/signin');
  await submit('dana@example.com', 'right');
  await screen.findByRole('textbox', { name: 'Code' });
  return api;
}

const usePasskey = async () => userEvent.click(await screen.findByRole('button', { name: 'Use a passkey' }));

test('a passkey completes the sign-in', async () => {
  const api = await openPasskeyStep(
    () => Promise.resolve({ toJSON: () => ({ id: 'AQ' }) }),
    () => ok(session),
  );
  expect(screen.getByText('One of your recovery codes')).toBeVisible();
  await usePasskey();
  await vi.waitFor(() => expect(screen.queryByRole('textbox', { name: 'Code' })).not.toBeInTheDocument());
  expect(api.calls.find(({ method }) => method === 'PUT')?.body).toEqual({ credential: { id: 'AQ' } });
});

test.each([
  ['cancelled', 'NotAllowedError', 'The passkey was cancelled, or it took too long. Try again.'],
  ['used at another address', 'SecurityError', 'Passkeys cannot be used at this address of the console.'],
])('a passkey that is %s has a plain error, and a code can be entered', async (_, name, text) => {
  await openPasskeyStep(
    () => Promise.reject(new DOMException('no', name)),
    () => ok(session),
  );
  await usePasskey();
  expect(await screen.findByRole('alert')).toHaveTextContent(text);
  expect(screen.getByRole('textbox', { name: 'Code' })).toBeEnabled();
});

test.each([
  ['a refused passkey', () => problem(422, 'invalid', { errors: { passkey: ['was not accepted'] } }), /Try again/],
  ['a sign-in that has ended', () => problem(401, 'sign_in_ended'), undefined],
])('%s is reported', async (_, answer, text) => {
  await openPasskeyStep(() => Promise.resolve({ toJSON: () => ({ id: 'AQ' }) }), answer);
  await usePasskey();
  if (text) expect(await screen.findByRole('alert')).toHaveTextContent(text);
  else expect(await screen.findByText('This sign-in has ended. Sign in again.')).toBeVisible();
});

test('a browser without passkeys offers a code only', async () => {
  await openPasskeyStep(undefined, () => ok(session));
  expect(await screen.findByText(/^This browser cannot use your passkey here/)).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Use a passkey' })).toBeNull();
});

test('Back after the sign-in does not lead to its form', async () => {
  let current: typeof session | null = null;
  fakeApi({
    'GET /api/session': () => ok(current),
    'POST /api/session': () => {
      current = session;
      return ok(session);
    },
    'GET /api/devices': () => ok(deviceList([])),
  });
  const { router } = renderApp('/signup');
  await userEvent.click(await screen.findByRole('link', { name: 'Sign in' }));
  await submit('a@b.c', 'right');
  expect(await screen.findByRole('heading', { name: 'Devices' })).toBeVisible();
  router.history.back();
  expect(await screen.findByRole('heading', { name: 'Sign Up' })).toBeVisible();
  expect(router.state.location.pathname).toBe('/signup');
});
