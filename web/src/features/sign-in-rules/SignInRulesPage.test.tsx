import { type Call, fakeApi, ok, problem, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

const SAVE = 'PUT /api/sign-in-rules';
const TECH = 'OEM::ProlitecCommercial::CspTech';

function rules(needing: string[]) {
  const roles = session.roleChoices.map(({ role, roleName }) => ({
    role,
    roleName,
    needsSecondFactor: needing.includes(role),
  }));
  return ok({ roles });
}

function open(save: (call: Call) => Response, needing = ['OEM::Admin']) {
  const api = fakeApi({
    'GET /api/session': () => ok({ ...session, can: [...session.can, 'sign_in_rules.edit'] }),
    'GET /api/sign-in-rules': () => rules(needing),
    [SAVE]: save,
  });
  return { api, ...renderApp('/sign-in-rules') };
}

const confirm = async () => userEvent.click(await screen.findByRole('button', { name: 'Require' }));

test('a switched role is saved alone', async () => {
  const { api } = open(() => rules(['OEM::Admin', TECH]));
  expect(await screen.findByRole('switch', { name: 'Admin' })).toBeChecked();
  const tech = screen.getByRole('switch', { name: 'CSP Technician' });
  expect(tech).not.toBeChecked();
  await userEvent.click(tech);
  expect(await screen.findByRole('dialog', { name: 'Require two-step sign-in for CSP Technician?' })).toBeVisible();
  expect(screen.queryByText(/This is your own role/)).not.toBeInTheDocument();
  await confirm();
  expect(await screen.findByText('Successfully saved sign-in rules')).toBeVisible();
  expect(api.calls.find(({ method }) => method === 'PUT')?.body).toEqual({ role: TECH, needsSecondFactor: true });
  expect(tech).toBeChecked();
});

test('a rule for the own role needs a confirmation that says so', async () => {
  const { api } = open(() => rules(['OEM::Admin']), []);
  const admin = await screen.findByRole('switch', { name: 'Admin' });
  await userEvent.click(admin);
  expect(await screen.findByText(/This is your own role/)).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(admin).not.toBeChecked();
  expect(api.calls.filter(({ method }) => method === 'PUT')).toEqual([]);
});

test('a failed save keeps the previous rule', async () => {
  open(() => problem(500, 'internal', { detail: 'Something went wrong.' }));
  const admin = await screen.findByRole('switch', { name: 'Admin' });
  await userEvent.click(admin);
  expect(await screen.findByText('Failed to save sign-in rules. Something went wrong.')).toBeVisible();
  await waitFor(() => expect(admin).toBeChecked());
});

test('a user whose role needs a second factor sets it up before anything else', async () => {
  let isSetUp = false;
  fakeApi({
    'GET /api/session': () => ok({ ...session, needsSecondFactor: !isSetUp }),
    'POST /api/account/second-factor/totp': () =>
      ok({ secret: 'GEZDGNBV', address: 'otpauth://totp/x', qrCode: { size: 21, path: 'M0 0h1v1h-1z' } }),
    'PUT /api/account/second-factor/totp': () => {
      isSetUp = true;
      return ok({ codes: ['0123-4567'] });
    },
    'GET /api/account': () => ok({}),
  });
  const { router } = renderApp('/account?tab=time-format');
  expect(await screen.findByRole('heading', { name: 'Set up two-step sign-in' })).toBeVisible();
  expect(router.state.location.pathname).toBe('/two-step-setup');
  expect(screen.queryByRole('button', { name: 'Cancel' })).not.toBeInTheDocument();
  await userEvent.type(screen.getByLabelText('Current password *', { selector: 'input' }), 'Correct-Horse-1');
  await userEvent.click(screen.getByRole('button', { name: 'Continue' }));
  await userEvent.type(await screen.findByRole('textbox', { name: 'Code of your app' }), '123456');
  await userEvent.click(screen.getByRole('button', { name: 'Turn on' }));
  await userEvent.click(await screen.findByRole('button', { name: 'I have kept the codes' }));
  expect(await screen.findByRole('tab', { name: 'Time Format', selected: true })).toBeVisible();
});

test('the set-up is not shown to users who need none', async () => {
  fakeApi({ 'GET /api/session': () => ok(null) });
  const { router } = renderApp('/two-step-setup');
  expect(await screen.findByRole('button', { name: 'Sign in' })).toBeVisible();
  expect(router.state.location.pathname).toBe('/signin');
});
