import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { registerWorker } from './register-worker';

const register = vi.fn<(address: string) => Promise<unknown>>();
const browser: { serviceWorker?: unknown } = navigator;

beforeEach(() => {
  register.mockResolvedValue({});
  Object.defineProperty(navigator, 'serviceWorker', { configurable: true, value: { register } });
});

afterEach(() => {
  delete browser.serviceWorker;
});

test('the worker is registered when the page has loaded', () => {
  registerWorker();
  expect(register).not.toHaveBeenCalled();
  window.dispatchEvent(new Event('load'));
  expect(register.mock.calls).toEqual([['/worker.js']]);
});

test('nothing is registered in a browser without workers at this address', () => {
  delete browser.serviceWorker;
  registerWorker();
  window.dispatchEvent(new Event('load'));
  expect(register).not.toHaveBeenCalled();
});

test('a refused registration is logged', async () => {
  const log = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const refused = new Error('refused');
  register.mockRejectedValue(refused);
  registerWorker();
  window.dispatchEvent(new Event('load'));
  await vi.waitFor(() => expect(log.mock.calls).toEqual([['Registering the worker failed:', refused]]));
});
