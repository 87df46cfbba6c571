import { logUnexpectedError } from '@/api/error-log';

/** The code of extensions runs in the page, but its errors do not break the page. */
const OF_EXTENSION = /extension:\/\//;

/**
 * Logs errors that nothing caught outside rendering, such as those of timers and promises, and passes them to `show`, until the
 * signal aborts.
 */
export function watchUncaughtErrors(show: (error: Error) => void, signal: AbortSignal): void {
  const onUncaught = (event: ErrorEvent | PromiseRejectionEvent) => {
    const isThrown = 'error' in event;
    const error = isThrown ? event.error : event.reason;
    // Notices of the browser, such as those of a ResizeObserver, and errors of foreign scripts have no error.
    if (!error || error.name === 'AbortError' || OF_EXTENSION.test(`${isThrown && event.filename} ${error.stack}`))
      return;
    // The browser would log it again.
    event.preventDefault();
    logUnexpectedError(error);
    show(error);
  };
  window.addEventListener('error', onUncaught, { signal });
  window.addEventListener('unhandledrejection', onUncaught, { signal });
}
