import { logFailedCall } from '@/api/error-log';

/** Registers the worker that opens the application without a network. Browsers support it on secure origins only. */
export function registerWorker(): void {
  if (!('serviceWorker' in navigator)) return;
  const register = () =>
    navigator.serviceWorker.register('/worker.js').catch((error) => logFailedCall('Registering the worker', error));
  // The worker's downloads must not delay the page.
  window.addEventListener('load', () => void register(), { once: true });
}
