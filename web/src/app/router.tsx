import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouterHistory,
  stripSearchParams,
} from '@tanstack/react-router';
import { deviceQuery, devicesQuery } from '@/api/devices';
import { setSessionEndHandler } from '@/api/http';
import { devicesList, toDeviceListQuery } from '@/features/devices/devices-search';
import { storeReturnUrl } from '@/lib/return-url';
import { parseSearch, stringifySearch } from '@/lib/search-state';
import { LandingLoader } from '@/ui/Landing';
import { goHome, requireSession, signOut } from './guards';
import { listRoute } from './list-route';
import { NotFoundPage, PageError, StandaloneError } from './StandalonePages';

/** For routes that must ask the server before anything can be shown. */
const standalone = { pendingComponent: LandingLoader, pendingMs: 0, errorComponent: StandaloneError };

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
});

const index = createRoute({ getParentRoute: () => root, path: '/', beforeLoad: goHome, ...standalone });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/signin',
  component: lazyRouteComponent(() => import('@/features/auth/SignInPage'), 'SignInPage'),
});

const signOutRoute = createRoute({ getParentRoute: () => root, path: '/signout', loader: signOut, ...standalone });

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: requireSession,
  component: lazyRouteComponent(() => import('./Layout'), 'Layout'),
  ...standalone,
});

const devices = createRoute({
  getParentRoute: () => signedIn,
  path: '/devices',
  search: { middlewares: [stripSearchParams(devicesList.defaults)] },
  ...listRoute(devicesList, (search) => devicesQuery(toDeviceListQuery(search))),
  component: lazyRouteComponent(() => import('@/features/devices/DevicesPage'), 'DevicesPage'),
});

const device = createRoute({
  getParentRoute: () => signedIn,
  path: '/devices/$dsn',
  loader: ({ context, params }) => {
    void context.queryClient.prefetchQuery(deviceQuery(params.dsn));
  },
  component: lazyRouteComponent(() => import('@/features/devices/DevicePage'), 'DevicePage'),
});

const routeTree = root.addChildren([index, signIn, signOutRoute, signedIn.addChildren([devices, device])]);

export function createAppRouter(queryClient: QueryClient, history?: RouterHistory) {
  const router = createRouter({
    routeTree,
    context: { queryClient },
    ...(history && { history }),
    parseSearch,
    stringifySearch,
    scrollRestoration: true,
    defaultErrorComponent: PageError,
    notFoundMode: 'root',
  });
  setSessionEndHandler(() => {
    const { pathname, href } = router.state.location;
    if (pathname === '/signout' || pathname === '/signin') return;
    storeReturnUrl(href);
    void router.navigate({ to: '/signout', replace: true });
  });
  return router;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
