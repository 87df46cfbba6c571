import { type Call, fakeApi, ok, problem, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { Profile } from '@/api/schema.gen';
import { t } from '@/i18n/en';

const SAVE = 'PUT /api/account';
const profile: Profile = {
  email: session.user.email,
  firstname: 'Dana',
  lastname: 'Hill',
  city: 'Chicago',
  state: 'Illinois',
  country: 'United States',
};

function open(handlers: Record<string, (call: Call) => Response | Promise<Response>> = {}) {
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    'GET /api/account': () => ok(profile),
    [SAVE]: ({ body }) => ok({ ...profile, ...(body as object), seen: undefined }),
    ...handlers,
  });
  return { api, ...renderApp('/account') };
}

const field = (label: string) => screen.findByRole('textbox', { name: label });

async function type(label: string, text: string) {
  const input = await field(label);
  await userEvent.clear(input);
  if (text) await userEvent.type(input, text);
}

const save = () => userEvent.click(screen.getByRole('button', { name: 'Save' }));

test('touched fields are saved, and the e-mail address is read-only', async () => {
  const { api } = open();
  expect(await field('Email')).toHaveAttribute('readonly');
  await type('First Name', 'Dane');
  await save();
  expect(await screen.findByText('Successfully updated account')).toBeVisible();
  expect(api.calls.find(({ method }) => method === 'PUT')?.body).toEqual({
    firstname: 'Dane',
    seen: { firstname: 'Dana' },
  });
  expect(await screen.findByRole('button', { name: 'Account of Dane Hill' })).toBeVisible();
  expect(await field('First Name')).toHaveValue('Dane');
});

test('a field that somebody else changed meanwhile is shown with both values', async () => {
  const changed = { city: { value: 'Peoria', by: 'admin@example.com', at: '2026-11-20T12:00:00Z' } };
  const bodies: unknown[] = [];
  open({
    [SAVE]: ({ body }) => {
      bodies.push(body);
      return bodies.length === 1 ? problem(409, 'changed', { detail: 'Changed.', changed }) : ok(profile);
    },
  });
  await type('City', 'Joliet');
  await save();
  expect(await screen.findByText('Peoria')).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: t.form.changed.keepField('City') }));
  await save();
  expect(await screen.findByText('Successfully updated account')).toBeVisible();
  expect(bodies).toEqual([
    { city: 'Joliet', seen: { city: 'Chicago' } },
    { city: 'Joliet', seen: { city: 'Peoria' } },
  ]);
});

test('after a save nothing is unsaved, and no draft is left', async () => {
  const { router } = open({ [SAVE]: () => ok({ ...profile, city: 'Peoria' }) });
  await type('City', ' Peoria ');
  expect(Object.keys(sessionStorage).filter((key) => key.startsWith('draft:'))).toHaveLength(1);
  await save();
  expect(await screen.findByText('Successfully updated account')).toBeVisible();
  expect(await field('City')).toHaveValue('Peoria');
  expect(Object.keys(sessionStorage).filter((key) => key.startsWith('draft:'))).toEqual([]);
  await userEvent.click(screen.getByRole('tab', { name: 'Set Password' }));
  expect(await screen.findByRole('button', { name: 'Save' })).toBeVisible();
  expect(router.state.location.href).toBe('/account?tab=password');
});

test('what is typed while the form is saved stays, and is saved next', async () => {
  const held = Promise.withResolvers<void>();
  const { api } = open({
    [SAVE]: async ({ body }) => {
      if (api.count(SAVE) === 1) await held.promise;
      return ok({ ...profile, ...(body as object), seen: undefined });
    },
  });
  await type('City', 'Peoria');
  await save();
  await type('City', 'Springfield');
  await type('Last Name', 'Moore');
  held.resolve();
  expect(await screen.findByText('Successfully updated account')).toBeVisible();
  await waitFor(() => expect(screen.getByRole('button', { name: 'Save' })).not.toHaveAttribute('data-loading'));
  expect(await field('City')).toHaveValue('Springfield');
  expect(await field('Last Name')).toHaveValue('Moore');
  await save();
  await waitFor(() => expect(api.count(SAVE)).toBe(2));
  const bodies = api.calls.filter(({ method }) => method === 'PUT').map(({ body }) => body);
  expect(bodies).toEqual([
    { city: 'Peoria', seen: { city: 'Chicago' } },
    { city: 'Springfield', lastname: 'Moore', seen: { city: 'Peoria', lastname: 'Hill' } },
  ]);
});

test('leaving for another tab deletes the draft', async () => {
  open();
  await type('City', 'Peoria');
  await userEvent.click(screen.getByRole('tab', { name: 'Time Format' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Leave' }));
  await userEvent.click(screen.getByRole('tab', { name: 'Personal Information' }));
  expect(await field('City')).toHaveValue('Chicago');
});

test('leaving the page with unsaved changes asks first', async () => {
  const { router } = open();
  await type('City', 'Peoria');
  void router.navigate({ to: '/signup' });
  expect(await screen.findByRole('dialog', { name: 'Leave without saving?' })).toBeVisible();
});

test('missing values are field errors, and nothing is sent', async () => {
  const { api } = open();
  await type('Last Name', '');
  await save();
  expect(await field('Last Name')).toHaveAccessibleDescription('Required');
  expect(await field('Last Name')).toHaveFocus();
  expect(api.count(SAVE)).toBe(0);
});

test('a failed save is announced, and server errors are shown at their fields', async () => {
  open({ [SAVE]: () => problem(422, 'invalid', { errors: { city: ['is too long'] } }) });
  await type('City', 'Peoria');
  await save();
  expect(await screen.findByText('Failed to save personal information')).toBeVisible();
  await waitFor(async () => expect(await field('City')).toHaveAccessibleDescription('is too long'));
  expect(await field('City')).toHaveValue('Peoria');
});

test('an account that cannot be read can be retried', async () => {
  let fails = true;
  open({ 'GET /api/account': () => (fails ? problem(500, 'internal') : ok(profile)) });
  expect(await screen.findByText('Failed to load your account')).toBeVisible();
  fails = false;
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await field('City')).toHaveValue('Chicago');
});
