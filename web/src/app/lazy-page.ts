import { lazyRouteComponent } from '@tanstack/react-router';
import { logFailedCall } from '@/api/error-log';
import { readSession } from '@/api/session';

/**
 * A page whose code is loaded when it is opened. If the code no longer exists, as after a new release, the router reloads
 * the application. If the server is unreachable, a reload would discard the current page, so another error is thrown.
 */
export const lazyPage: typeof lazyRouteComponent = (read, name) =>
  lazyRouteComponent(async () => {
    try {
      return await read();
    } catch (error) {
      await readSession().catch((unreachable) => {
        logFailedCall('Reading the code of a page', unreachable);
        throw unreachable;
      });
      throw error;
    }
  }, name);
