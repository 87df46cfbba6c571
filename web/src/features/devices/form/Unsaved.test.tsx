import { ok, problem, session } from '@test/fake-api';
import { FakeEventSource } from '@test/fake-event-source';
import { DSN, formDevice, openDeviceForm, PAGE, save, textField, type } from '@test/open-device-form';
import { renderApp } from '@test/render-app';
import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import type { EndReason, Session } from '@/api/schema.gen';

const EDIT = `/devices/${DSN}/edit`;
const DRAFT = `draft:${session.user.id}${EDIT}`;
const RESTORED = 'Your unsaved changes were restored';

const drafts = () => Object.keys(sessionStorage).filter((key) => key.startsWith('draft:'));
const dialog = () => screen.findByRole('dialog', { name: 'Leave without saving?' });

/** Reloads like a browser: everything but the storage is lost. */
async function reload(address: string) {
  cleanup();
  return renderApp(address);
}

test('a link to another page asks first; Stay stays, Leave leaves', async () => {
  const { router } = openDeviceForm(EDIT);
  await type('Customer', 'Harbor Inns');
  await userEvent.click(screen.getByRole('link', { name: 'Cancel' }));
  await dialog();
  await userEvent.click(screen.getByRole('button', { name: 'Stay' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(await textField('Customer')).toHaveValue('Harbor Inns');
  expect(router.state.location.pathname).toBe(EDIT);
  await userEvent.click(screen.getByRole('link', { name: 'Devices' }));
  await dialog();
  await userEvent.click(screen.getByRole('button', { name: 'Leave' }));
  expect(await screen.findByRole('heading', { name: 'Devices' })).toBeVisible();
});

test('leaving without changes, or after reverting them, does not ask', async () => {
  openDeviceForm(EDIT);
  await type('Customer', 'Harbor Inns');
  await type('Customer', 'Harbor Hotels');
  await userEvent.click(screen.getByRole('link', { name: 'Cancel' }));
  expect(await screen.findByRole('link', { name: 'Back' })).toBeVisible();
});

test('after a save leaving does not ask, and no draft remains', async () => {
  const { router } = openDeviceForm(EDIT);
  await type('Customer', 'Harbor Inns');
  expect(drafts()).toEqual([DRAFT]);
  await save();
  await screen.findByText('Successfully updated device');
  await screen.findByRole('link', { name: 'Back' });
  expect(router.state.location.pathname).toBe(`/devices/${DSN}`);
  expect(drafts()).toEqual([]);
});

test('a draft survives a reload with a notice and can be discarded', async () => {
  openDeviceForm(EDIT);
  await type('Customer', 'Harbor Inns');
  await reload(EDIT);
  expect(await textField('Customer')).toHaveValue('Harbor Inns');
  expect(screen.getByText(RESTORED)).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }));
  expect(await textField('Customer')).toHaveValue('Harbor Hotels');
  expect(screen.queryByText(RESTORED)).not.toBeInTheDocument();
  expect(drafts()).toEqual([]);
});

test('a draft contains only the fields of the form', async () => {
  openDeviceForm(EDIT);
  await type('Customer', 'Harbor Inns');
  const { from, values, ...rest } = JSON.parse(sessionStorage.getItem(DRAFT) ?? '{}');
  expect(rest).toEqual({});
  expect(Object.keys(values)).toHaveLength(17);
  expect(from).toEqual({ ...values, customer: 'Harbor Hotels' });
});

test('a draft is merged with changes by others, and other forms do not have it', async () => {
  let customer = 'Harbor Hotels';
  openDeviceForm(EDIT, { [PAGE]: () => ok(formDevice({ customer })) });
  await type('City', 'Peoria');
  await reload('/devices/add');
  expect(await textField('City')).toHaveValue('');
  customer = 'Somebody else';
  await reload(EDIT);
  expect(await textField('Customer')).toHaveValue('Somebody else');
  expect(await textField('City')).toHaveValue('Peoria');
  expect(screen.getByText(RESTORED)).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }));
  expect(await textField('City')).toHaveValue('Chicago');
  expect(await textField('Customer')).toHaveValue('Somebody else');
});

test('another user in the same tab does not see the draft', async () => {
  let user = session.user;
  openDeviceForm('/devices/add', { 'GET /api/session': () => ok({ ...session, user }) });
  await type('Customer', 'Harbor Inns');
  user = { ...user, id: 'another' };
  await reload('/devices/add');
  expect(await textField('Customer')).toHaveValue('');
});

test('a failed save keeps the draft', async () => {
  openDeviceForm(EDIT, {
    [`PUT /api/devices/dsns/${DSN}`]: () => problem(502, 'cloud_failed', { detail: 'Out of order' }),
  });
  await type('Customer', 'Harbor Inns');
  await save();
  await screen.findByText('Failed to update device. Out of order');
  await reload(EDIT);
  expect(await textField('Customer')).toHaveValue('Harbor Inns');
});

test('signing out asks first and then deletes the draft', async () => {
  const { router } = openDeviceForm(EDIT);
  await type('Customer', 'Harbor Inns');
  void router.navigate({ to: '/signout' });
  await dialog();
  await userEvent.click(screen.getByRole('button', { name: 'Leave' }));
  await waitFor(() => expect(drafts()).toEqual([]));
});

describe('a session that ends by itself', () => {
  async function endSession(reason: EndReason = 'signed_out', text = /^Your session has ended/) {
    let answer: Session | null = session;
    const { router } = openDeviceForm(EDIT, {
      'GET /api/session': () => ok(answer),
      'POST /api/session': () => ok(answer),
      'POST /api/jwt/update': () => problem(401, 'not_signed_in'),
    });
    await type('Customer', 'Harbor Inns');
    answer = null;
    FakeEventSource.latest.send('end', { reason });
    expect(await screen.findByText(text)).toBeVisible();
    expect(router.state.location.pathname).toBe('/signin');
    const signIn = async (as: Session) => {
      answer = as;
      await userEvent.type(screen.getByLabelText('Email'), as.user.email);
      await userEvent.type(screen.getByLabelText('Password'), 'secret');
      await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
    };
    return { router, signIn };
  }

  test('keeps the draft and offers it to the same user after signing in', async () => {
    const { router, signIn } = await endSession();
    await signIn(session);
    expect(await textField('Customer')).toHaveValue('Harbor Inns');
    expect(screen.getByText(RESTORED)).toBeVisible();
    expect(router.state.location.pathname).toBe(EDIT);
  });

  test('names the reason if the user has too many sessions', async () => {
    await endSession('too_many_sessions', /^You are signed in on too many other devices/);
  });

  test('does not show the draft to another user and deletes it', async () => {
    const { signIn } = await endSession();
    await signIn({ ...session, user: { ...session.user, id: 'another' } });
    expect(await textField('Customer')).not.toHaveValue('Harbor Inns');
    expect(drafts()).toEqual([]);
  });
});
