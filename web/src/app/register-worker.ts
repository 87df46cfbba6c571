import { logFailedCall } from '@/api/error-log';

/** Lets the application open without a network. Browsers offer workers to secure addresses only; all else works without. */
export function registerWorker(): void {
  if (!('serviceWorker' in navigator)) return;
  const register = () =>
    navigator.serviceWorker.register('/worker.js').catch((error) => logFailedCall('Registering the worker', error));
  // What the worker reads must not delay the page.
  window.addEventListener('load', () => void register(), { once: true });
}
