import { type Call, fakeApi, ok, problem, session } from '@test/fake-api';
import { fakePasskeys } from '@test/fake-passkeys';
import { renderApp } from '@test/render-app';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { NewTotp, SecondFactor } from '@/api/schema.gen';

const OFF: SecondFactor = { totpAddedAt: null, passkeys: [], passkeyDomain: null, recoveryCodes: 0 };
const ON: SecondFactor = { ...OFF, totpAddedAt: '2026-11-20T12:00:00Z', recoveryCodes: 9 };
const CODES = ['0123-4567-89ab-cdef', '1123-4567-89ab-cdef'];
const TOTP: NewTotp = {
  secret: 'GEZDGNBVGY3TQOJQ',
  address: 'otpauth://totp/Sillage:dana%40example.com?secret=GEZDGNBVGY3TQOJQ',
  qrCode: { size: 21, path: 'M0 0h1v1h-1z' },
};
const [BEGIN, CONFIRM] = ['POST /api/account/second-factor/totp', 'PUT /api/account/second-factor/totp'];
const REMOVE = 'POST /api/account/second-factor/totp/removal';
const RENEW = 'POST /api/account/second-factor/recovery-codes';

function open(factor: SecondFactor, handlers: Record<string, (call: Call) => Response> = {}) {
  let current = factor;
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    'GET /api/account': () => ok({}),
    'GET /api/account/second-factor': () => ok(current),
    [BEGIN]: () => ok(TOTP),
    [CONFIRM]: () => {
      current = { ...ON, recoveryCodes: 10 };
      return ok({ codes: CODES });
    },
    [REMOVE]: () => {
      current = OFF;
      return new Response(null, { status: 204 });
    },
    [RENEW]: () => ok({ codes: CODES }),
    ...handlers,
  });
  return { api, ...renderApp('/account?tab=second-factor') };
}

const press = (name: string | RegExp) => userEvent.click(screen.getByRole('button', { name }));

async function enterPassword(password: string) {
  await userEvent.click(await screen.findByRole('button', { name: 'Set up an authenticator app' }));
  const field = await screen.findByLabelText('Current password *', { selector: 'input' });
  if (password) await userEvent.type(field, password);
  await press('Continue');
}

test('an app is set up with the password and a code, and the recovery codes are shown once', async () => {
  const { api } = open(OFF);
  await enterPassword('Correct-Horse-1');
  expect(await screen.findByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible();
  expect(screen.getByText('GEZD GNBV GY3T QOJQ')).toBeVisible();
  await userEvent.type(screen.getByRole('textbox', { name: 'Code of your app' }), '123 456');
  await press('Turn on');
  expect(await screen.findByText(CODES[0] as string)).toBeVisible();
  const bodies = api.calls.filter(({ body }) => body).map(({ body }) => body);
  expect(bodies).toEqual([{ current: 'Correct-Horse-1' }, { code: '123 456' }]);
  await userEvent.click(screen.getByRole('tab', { name: 'Sessions' }));
  expect(await screen.findByRole('dialog', { name: 'Leave without keeping it?' })).toBeVisible();
  await press('Stay');
  expect(screen.getByText(CODES[0] as string)).toBeVisible();
  await press('I have kept the codes');
  expect(await screen.findByText('10 recovery codes are left.')).toBeVisible();
  expect(screen.queryByText(CODES[0] as string)).not.toBeInTheDocument();
});

test('missing and wrong values are field errors', async () => {
  const { api } = open(OFF, {
    [CONFIRM]: () => problem(422, 'invalid', { errors: { code: ['is not the current code'] } }),
  });
  await enterPassword('');
  expect(await screen.findByText('Required')).toBeVisible();
  expect(api.count(BEGIN)).toBe(0);
  await userEvent.type(screen.getByLabelText('Current password *', { selector: 'input' }), 'x');
  await press('Continue');
  const code = await screen.findByRole('textbox', { name: 'Code of your app' });
  await press('Turn on');
  expect(code).toHaveAccessibleDescription('Required');
  await userEvent.type(code, '000000');
  await press('Turn on');
  expect(await screen.findByText('is not the current code')).toBeVisible();
  expect(screen.getByText('GEZD GNBV GY3T QOJQ')).toBeVisible();
});

test('the app is removed with password and code', async () => {
  const { api } = open(ON);
  expect(await screen.findByText('9 recovery codes are left.')).toBeVisible();
  await press('Turn off');
  const dialog = within(await screen.findByRole('dialog', { name: 'Turn off' }));
  await userEvent.type(dialog.getByLabelText('Current password *', { selector: 'input' }), 'Correct-Horse-1');
  await userEvent.type(dialog.getByRole('textbox', { name: 'Code of your app, or a recovery code' }), '123456');
  await userEvent.click(dialog.getByRole('button', { name: 'Turn off' }));
  expect(await screen.findByText('Two-step sign-in is off.')).toBeVisible();
  expect(api.calls.find(({ body }) => body)?.body).toEqual({ current: 'Correct-Horse-1', code: '123456' });
});

test('too many codes show a message, and the dialog stays open', async () => {
  open(ON, {
    [RENEW]: () => problem(429, 'too_many_requests', { detail: 'Too many attempts. Please wait a moment.' }),
  });
  await userEvent.click(await screen.findByRole('button', { name: 'New recovery codes' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'New recovery codes' }));
  await userEvent.type(dialog.getByLabelText('Current password *', { selector: 'input' }), 'Correct-Horse-1');
  const code = dialog.getByRole('textbox', { name: 'Code of your app, or a recovery code' });
  await userEvent.type(code, '123456');
  await userEvent.click(dialog.getByRole('button', { name: 'New recovery codes' }));
  expect(await dialog.findByText('Too many attempts. Please wait a moment.')).toBeVisible();
});

test('a second factor that cannot be read can be retried', async () => {
  let fails = true;
  open(OFF, { 'GET /api/account/second-factor': () => (fails ? problem(500, 'internal') : ok(OFF)) });
  expect(await screen.findByText('Failed to load your two-step sign-in')).toBeVisible();
  fails = false;
  await press('Retry');
  expect(await screen.findByText('Two-step sign-in is off.')).toBeVisible();
});

const PASSKEYS = '/api/account/second-factor/passkeys';
const PASSKEY = { id: 'a', name: 'Work laptop', addedAt: '2026-11-20T12:00:00Z', lastUsedAt: null };

async function fillPasskey(name: string) {
  await userEvent.click(await screen.findByRole('button', { name: 'Add a passkey' }));
  if (name) await userEvent.type(screen.getByRole('textbox', { name: 'Name of the passkey' }), name);
  const password = screen.getByLabelText('Current password *', { selector: 'input' });
  if (name) await userEvent.type(password, 'Correct-Horse-1');
  await press('Add a passkey');
}

test('a passkey is added with a name and the password, listed, and removed', async () => {
  fakePasskeys(() => Promise.resolve({ toJSON: () => ({ id: 'AQ' }) }));
  let passkeys: SecondFactor['passkeys'] = [];
  const { api } = open(OFF, {
    'GET /api/account/second-factor': () =>
      ok({ ...OFF, passkeys, passkeyDomain: location.hostname, recoveryCodes: passkeys.length * 10 }),
    [`POST ${PASSKEYS}`]: () => ok({ options: { challenge: 'AA' } }),
    [`PUT ${PASSKEYS}`]: () => {
      passkeys = [PASSKEY];
      return ok({ codes: CODES });
    },
    [`POST ${PASSKEYS}/a/removal`]: () => {
      passkeys = [];
      return new Response(null, { status: 204 });
    },
  });
  await fillPasskey('Work laptop');
  expect(await screen.findByText(CODES[0] as string)).toBeVisible();
  const sent = api.calls.filter(({ body }) => body).map(({ method, body }) => [method, body]);
  expect(sent).toEqual([
    ['POST', { current: 'Correct-Horse-1' }],
    ['PUT', { name: 'Work laptop', credential: { id: 'AQ' } }],
  ]);
  await press('I have kept the codes');
  expect(await screen.findByText('Two-step sign-in is on.')).toBeVisible();
  expect(screen.getByText('Never used')).toBeVisible();

  await press('Remove passkey Work laptop');
  const dialog = within(await screen.findByRole('dialog', { name: 'Remove passkey' }));
  await userEvent.type(dialog.getByLabelText('Current password *', { selector: 'input' }), 'Correct-Horse-1');
  await userEvent.type(dialog.getByRole('textbox', { name: 'Code of your app, or a recovery code' }), 'code');
  await userEvent.click(dialog.getByRole('button', { name: 'Remove passkey' }));
  expect(await screen.findByText('Two-step sign-in is off.')).toBeVisible();
});

test('a passkey gets another name, and keeps its name if that is refused', async () => {
  let name = PASSKEY.name;
  const path = `PUT ${PASSKEYS}/a`;
  const { api } = open(OFF, {
    'GET /api/account/second-factor': () => ok({ ...OFF, passkeys: [{ ...PASSKEY, name }], recoveryCodes: 10 }),
    [path]: ({ body }) => {
      const wanted = (body as { name: string }).name;
      if (wanted.length > 40) return problem(422, 'invalid', { errors: { name: ['Must be at most 40 characters'] } });
      name = wanted;
      return new Response(null, { status: 204 });
    },
  });
  await userEvent.click(await screen.findByRole('button', { name: 'Rename passkey Work laptop' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Rename passkey' }));
  const field = dialog.getByRole('textbox', { name: 'Name of the passkey' });
  expect(field).toHaveValue('Work laptop');
  await userEvent.clear(field);
  await press('Rename');
  expect(field).toHaveAccessibleDescription('Required');
  expect(api.count(path)).toBe(0);
  await userEvent.type(field, 'n'.repeat(41));
  await press('Rename');
  expect(await dialog.findByText('Must be at most 40 characters')).toBeVisible();
  await userEvent.clear(field);
  await userEvent.type(field, 'Phone');
  await press('Rename');
  expect(await screen.findByRole('button', { name: 'Rename passkey Phone' })).toBeVisible();
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('missing values and a cancelled dialog of the browser are errors of the form', async () => {
  fakePasskeys(() => Promise.reject(new DOMException('no', 'NotAllowedError')));
  const { api } = open(
    { ...OFF, passkeyDomain: location.hostname },
    {
      [`POST ${PASSKEYS}`]: () => ok({ options: {} }),
    },
  );
  await fillPasskey('');
  expect(await screen.findAllByText('Required')).toHaveLength(2);
  expect(api.count(`POST ${PASSKEYS}`)).toBe(0);
  await userEvent.type(screen.getByRole('textbox', { name: 'Name of the passkey' }), 'Phone');
  await userEvent.type(screen.getByLabelText('Current password *', { selector: 'input' }), 'x');
  await press('Add a passkey');
  expect(await screen.findByText('The passkey was cancelled, or it took too long. Try again.')).toBeVisible();
  expect(api.count(`PUT ${PASSKEYS}`)).toBe(0);
});

test.each([
  ['another domain', 'sillage.example', true],
  ['no domain', null, true],
  ['a browser without passkeys', location.hostname, false],
])('%s offers no passkeys', async (_, passkeyDomain, isKnown) => {
  if (isKnown) fakePasskeys(() => Promise.reject(new Error('not asked')));
  open({ ...OFF, passkeyDomain });
  await screen.findByText('Two-step sign-in is off.');
  expect(screen.queryByRole('button', { name: 'Add a passkey' })).toBeNull();
});

test('an app beside passkeys is removed alone', async () => {
  open({ ...ON, passkeys: [PASSKEY] });
  await userEvent.click(await screen.findByRole('button', { name: 'Remove the app' }));
  expect(await screen.findByText('Sign-ins will need one of your passkeys or a recovery code.')).toBeVisible();
});

test('a passkey proves a change instead of a code', async () => {
  fakePasskeys(() => Promise.resolve({ toJSON: () => ({ id: 'AQ' }) }));
  const { api } = open(
    { ...OFF, passkeys: [PASSKEY], passkeyDomain: location.hostname },
    { [`POST ${PASSKEYS}/proof`]: () => ok({ options: { challenge: 'AA' } }) },
  );
  await userEvent.click(await screen.findByRole('button', { name: 'New recovery codes' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'New recovery codes' }));
  await userEvent.click(dialog.getByRole('button', { name: 'Use a passkey' }));
  expect(await dialog.findAllByText('Required')).toHaveLength(1);
  expect(api.count(`POST ${PASSKEYS}/proof`)).toBe(0);
  await userEvent.type(dialog.getByLabelText('Current password *', { selector: 'input' }), 'Correct-Horse-1');
  await userEvent.click(dialog.getByRole('button', { name: 'Use a passkey' }));
  expect(await screen.findByText(CODES[0] as string)).toBeVisible();
  const body = api.calls.find(({ url }) => url.pathname.endsWith('recovery-codes'))?.body;
  expect(body).toEqual({ current: 'Correct-Horse-1', passkey: { id: 'AQ' } });
});

test('a further app or passkey is added with the proof of a present one', async () => {
  fakePasskeys(() => Promise.resolve({ toJSON: () => ({ id: 'AQ' }) }));
  const { api } = open(
    { ...OFF, passkeys: [PASSKEY], passkeyDomain: location.hostname },
    {
      [CONFIRM]: () => ok({ codes: [] }),
      [`POST ${PASSKEYS}`]: () => ok({ options: { challenge: 'AA' } }),
      [`PUT ${PASSKEYS}`]: () => ok({ codes: [] }),
    },
  );
  const prove = async (name: string) => {
    await userEvent.click(await screen.findByRole('button', { name }));
    const dialog = within(await screen.findByRole('dialog', { name }));
    await userEvent.type(dialog.getByLabelText('Current password *', { selector: 'input' }), 'Correct-Horse-1');
    await userEvent.type(dialog.getByRole('textbox', { name: 'Code of your app, or a recovery code' }), 'kept');
    await userEvent.click(dialog.getByRole('button', { name }));
  };
  await prove('Set up an authenticator app');
  await userEvent.type(await screen.findByRole('textbox', { name: 'Code of your app' }), '123456');
  await press('Turn on');
  await prove('Add a passkey');
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name of the passkey' }), 'Phone');
  expect(screen.queryByLabelText('Current password *', { selector: 'input' })).toBeNull();
  await press('Add a passkey');
  await screen.findByRole('button', { name: 'New recovery codes' });
  const proof = { current: 'Correct-Horse-1', code: 'kept' };
  expect(api.calls.filter(({ body }) => body).map(({ body }) => body)).toEqual([
    proof,
    { code: '123456' },
    proof,
    { name: 'Phone', credential: { id: 'AQ' } },
  ]);
});

test('the secret of an app asks before it is left', async () => {
  const { router } = open(OFF);
  await enterPassword('Correct-Horse-1');
  expect(await screen.findByText('GEZD GNBV GY3T QOJQ')).toBeVisible();
  void router.navigate({ to: '/about' });
  expect(await screen.findByRole('dialog', { name: 'Leave without keeping it?' })).toBeVisible();
  await press('Stay');
  expect(router.state.location.search).toEqual({ tab: 'second-factor' });
});
