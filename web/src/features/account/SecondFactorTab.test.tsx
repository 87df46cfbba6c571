import { type Call, fakeApi, ok, problem, session } from '@test/fake-api';
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
