import { fakeApi, ok, problem } from '@test/fake-api';
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
  ['a failing cloud', () => problem(502, 'cloud_failed')],
])('%s shows the error under the email', async (_, answer) => {
  fakeApi({ 'GET /api/session': () => ok(null), 'POST /api/session': answer });
  renderApp('/signin');
  await submit('a@b.c', 'nope');
  expect(await screen.findByRole('alert')).toHaveTextContent('Incorrect email or password');
  expect(screen.getByLabelText('Email')).toHaveAccessibleDescription('Incorrect email or password');
});

test('an unavailable console shows another error than a wrong password', async () => {
  const detail = 'The service is not available at the moment. Please try again later.';
  fakeApi({ 'GET /api/session': () => ok(null), 'POST /api/session': () => problem(503, 'unavailable', { detail }) });
  renderApp('/signin');
  await submit('a@b.c', 'right');
  expect(await screen.findByRole('alert')).toHaveTextContent(detail);
  expect(screen.queryByText('Incorrect email or password')).toBeNull();
});

test('a network failure shows the same error as a wrong password', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  renderApp('/signin');
  await submit('a@b.c', 'nope');
  expect(await screen.findByRole('alert')).toHaveTextContent('Incorrect email or password');
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
