import { lazyRouteComponent } from '@tanstack/react-router';
import { logFailedCall } from '@/api/error-log';
import { readSession } from '@/api/session';

/**
 * A page whose code is read when it is opened. When the code is gone, as after a new release, the router loads the
 * application again; when the server cannot be reached, that would throw away what is shown, so the error is another one.
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
