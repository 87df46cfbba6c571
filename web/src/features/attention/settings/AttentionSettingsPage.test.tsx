import { fakeApi, ok, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

const SAVE = 'PUT /api/attention/settings';
const settings = {
  runsDryDays: 7,
  emptyPercent: 0,
  offlineMinutes: 30,
  neverConnectedDays: 3,
  noUseHours: 24,
  excessUsePercent: 200,
  commandMinutes: 60,
  levelJumpPercent: 50,
  disabled: [],
};

function open(saved: (body: unknown) => Response | Promise<Response> = (body) => ok(viewOf(body))) {
  const api = fakeApi({
    'GET /api/session': () => ok({ ...session, can: [...session.can, 'attention.view'] }),
    'GET /api/csps/all': () => ok([{ id: '1', name: 'North' }]),
    'GET /api/attention/settings': () => ok(viewOf(settings)),
    [SAVE]: ({ body }) => saved(body),
  });
  return { api, ...renderApp('/attention/settings') };
}

const viewOf = (settings: unknown) => ({ csp: null, settings, defaults: settings, can: { edit: true } });
const field = () => screen.findByRole('textbox', { name: /^Minutes offline/ });
const save = () => userEvent.click(screen.getByRole('button', { name: 'Save' }));

async function type(text: string) {
  await userEvent.clear(await field());
  await userEvent.type(await field(), text);
}

test('thresholds that were changed again after a save are not lost without a question', async () => {
  const { router } = open();
  await type('45');
  await save();
  expect(await screen.findByText(/^Thresholds saved/)).toBeVisible();
  await router.navigate({ to: '/attention/settings', search: { csp: 'North' } });
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  await type('50');
  void router.navigate({ to: '/attention/settings', search: {} });
  expect(await screen.findByRole('dialog', { name: 'Leave without saving?' })).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Stay' }));
  expect(await field()).toHaveValue('50');
});

test('a threshold that is typed while the form is saved stays', async () => {
  const held = Promise.withResolvers<void>();
  const { router } = open(async (body) => {
    await held.promise;
    return ok(viewOf(body));
  });
  await type('45');
  await save();
  await type('50');
  held.resolve();
  expect(await screen.findByText(/^Thresholds saved/)).toBeVisible();
  expect(await field()).toHaveValue('50');
  void router.navigate({ to: '/account' });
  expect(await screen.findByRole('dialog', { name: 'Leave without saving?' })).toBeVisible();
});
