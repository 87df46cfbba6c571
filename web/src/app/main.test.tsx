import { device, deviceList, fakeApi, ok, problem, session } from '@test/fake-api';
import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { createQueryClient } from '@/api/query-client';

const broken = vi.hoisted(() => ({
  error: new Error('the page is broken', { cause: new Error('a value is missing') }),
}));

vi.mock('@/features/help/AboutPage', () => ({
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

let hasStarted = false;

/** Starts the application, which runs once in a page, at this address. */
async function startAt(address: string): Promise<void> {
  if (!hasStarted) {
    history.replaceState(null, '', address);
    document.body.innerHTML = '<div id="root"></div>';
    hasStarted = true;
    await import('./main');
  } else if (location.pathname !== address) throw new Error(`the page is at ${location.pathname}`);
}

test('an error of a page is logged once with its cause, and the error page leads back to the devices', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const ours = () => log.mock.calls.filter(([text]) => text === 'Unexpected error:');
  await startAt('/about');
  expect(await screen.findByRole('heading', { name: 'Something went wrong' })).toBeVisible();
  expect(ours()).toEqual([['Unexpected error:', broken.error]]);
  expect(log.mock.calls.flat().filter((part) => part === broken.error)).toHaveLength(1);
  await userEvent.click(screen.getByRole('link', { name: 'Go to Devices' }));
  expect(await screen.findByRole('heading', { name: 'Devices' })).toBeVisible();
  expect(location.pathname).toBe('/devices');
  expect(screen.queryByText('Something went wrong')).not.toBeInTheDocument();
});

const boom = (cause: unknown) => new Error('nobody expects this', { cause });

test.each([
  ['a timer', (error: Error) => new ErrorEvent('error', { error, message: error.message, cancelable: true })],
  ['a promise', (reason: Error) => Object.assign(new Event('unhandledrejection', { cancelable: true }), { reason })],
])(
  'an uncaught error of %s is logged once by the page with its cause, and the error page leads back',
  async (_, eventOf) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await startAt('/devices');
    expect(await screen.findByRole('heading', { name: 'Devices' })).toBeVisible();
    const error = boom(new Error('a value is missing'));
    const event = eventOf(error);
    act(() => void window.dispatchEvent(event));
    expect(await screen.findByRole('heading', { name: 'Something went wrong' })).toBeVisible();
    expect(log.mock.calls).toEqual([['Unexpected error:', error]]);
    // The browser does not log it again.
    expect(event.defaultPrevented).toBe(true);
    await userEvent.click(screen.getByRole('link', { name: 'Go to Devices' }));
    expect(await screen.findByRole('heading', { name: 'Devices' })).toBeVisible();
    expect(screen.queryByText('Something went wrong')).not.toBeInTheDocument();
  },
);

test('errors of the browser and of its extensions leave the page as it is', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  await startAt('/devices');
  expect(await screen.findByRole('heading', { name: 'Devices' })).toBeVisible();
  const foreign = Object.assign(new Error('foreign'), { stack: 'Error: foreign\n at chrome-extension://abc/x.js:1:1' });
  const notices = [
    new ErrorEvent('error', { message: 'ResizeObserver loop completed with undelivered notifications.' }),
    new ErrorEvent('error', { message: 'Script error.' }),
    new ErrorEvent('error', { error: foreign }),
    new ErrorEvent('error', { error: new Error('x'), filename: 'moz-extension://abc/x.js' }),
    Object.assign(new Event('unhandledrejection'), { reason: foreign }),
    Object.assign(new Event('unhandledrejection'), { reason: new DOMException('left', 'AbortError') }),
  ];
  for (const notice of notices) act(() => void window.dispatchEvent(notice));
  expect(screen.getByRole('heading', { name: 'Devices' })).toBeVisible();
  expect(log).not.toHaveBeenCalled();
});

test('a failed read is logged once, without the text of the server', async () => {
  const log = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const { allCspsQuery } = await import('@/api/csps');
  await createQueryClient().prefetchQuery(allCspsQuery);
  expect(log.mock.calls).toEqual([['Reading csps/all failed:', '500 internal']]);
});
