import { device, deviceList, fakeApi, ok, problem, session } from '@test/fake-api';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { createQueryClient } from '@/api/query-client';

const broken = vi.hoisted(() => ({
  error: new Error('the page is broken', { cause: new Error('a value is missing') }),
}));

vi.mock('@/features/about/AboutPage', () => ({
  AboutPage: () => {
    throw broken.error;
  },
}));

beforeEach(() => {
  fakeApi({
    'GET /api/session': () => ok(session),
    'GET /api/devices': () => ok(deviceList([device()])),
    'GET /api/csps/all': () => problem(500, 'internal', { detail: 'jo@example.com' }),
  });
});

test('an error of a page is logged once with its cause, and the error page leads back to the devices', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const ours = () => log.mock.calls.filter(([text]) => text === 'Unexpected error:');
  history.replaceState(null, '', '/about');
  document.body.innerHTML = '<div id="root"></div>';
  await import('./main');
  expect(await screen.findByRole('heading', { name: 'Something went wrong' })).toBeVisible();
  expect(ours()).toEqual([['Unexpected error:', broken.error]]);
  expect(log.mock.calls.flat().filter((part) => part === broken.error)).toHaveLength(1);
  await userEvent.click(screen.getByRole('link', { name: 'Go to Devices' }));
  expect(await screen.findByRole('heading', { name: 'Devices' })).toBeVisible();
  expect(location.pathname).toBe('/devices');
  expect(screen.queryByText('Something went wrong')).not.toBeInTheDocument();
});

test('a failed read is logged once, without the text of the server', async () => {
  const log = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const { allCspsQuery } = await import('@/api/csps');
  await createQueryClient().prefetchQuery(allCspsQuery);
  expect(log.mock.calls).toEqual([['Reading csps/all failed:', '500 internal']]);
});
