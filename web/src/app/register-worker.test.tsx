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

test('a browser that offers no workers at this address is left alone', () => {
  delete browser.serviceWorker;
  registerWorker();
  window.dispatchEvent(new Event('load'));
  expect(register).not.toHaveBeenCalled();
});

test('a browser that refuses the worker is logged', async () => {
  const log = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const refused = new Error('refused');
  register.mockRejectedValue(refused);
  registerWorker();
  window.dispatchEvent(new Event('load'));
  await vi.waitFor(() => expect(log.mock.calls).toEqual([['Registering the worker failed:', refused]]));
});
