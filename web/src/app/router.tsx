import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  type RouterHistory,
  type SearchSchemaInput,
  stripSearchParams,
} from '@tanstack/react-router';
import { attentionQuery, deviceAttentionQuery } from '@/api/attention';
import { auditQuery } from '@/api/audit';
import { cspsQuery } from '@/api/csps';
import { deviceNotificationsQuery } from '@/api/device-notifications';
import { deviceQuery, devicesQuery } from '@/api/devices';
import { fleetQuery } from '@/api/fleet';
import { fragrancesQuery } from '@/api/fragrances';
import { setSessionEndHandler } from '@/api/http';
import { jobQuery, jobsQuery } from '@/api/jobs';
import { preferredPageSize } from '@/api/list-preferences';
import { sessionQuery, setAccessChangeHandler } from '@/api/session';
import { timeZonesQuery } from '@/api/time-zones';
import { usersQuery } from '@/api/users';
import { isUpdated } from '@/browser/release';
import { storeReturnUrl } from '@/browser/return-url';
import { parseSearch, stringifySearch } from '@/domain/search-state';
import { readAccountSearch } from '@/features/account/account-search';
import {
  type AttentionSearch,
  readAttentionSearch,
  readSettingsSearch,
  toAttentionQuery,
} from '@/features/attention/list/attention-search';
import { type AuditSearch, readAuditSearch, toAuditQuery } from '@/features/audit/list/audit-search';
import { readTokenSearch } from '@/features/auth/confirm/token-search';
import { cspsList, toCspListQuery } from '@/features/csps/list/csps-search';
import { type RawTargetsSearch, targetsList, toTargetsQuery } from '@/features/devices/copy/copy-targets-search';
import { readHistorySearch } from '@/features/devices/history/history-search';
import { devicesList, toDeviceListQuery } from '@/features/devices/list/devices-search';
import { readScheduleSearch } from '@/features/devices/schedule/schedule-search';
import { type FleetSearch, readFleetSearch, toFleetQuery } from '@/features/fleet/filters/fleet-search';
import { toUserListQuery, usersList } from '@/features/users/list/users-search';
import { LandingLoader } from '@/ui/layout/Landing';
import { awaitSession, goHome, requireMissingFactor, requirePermission, requireSession, signOut } from './guards';
import { lazyPage } from './lazy-page';
import { listRoute } from './list-route';
import { NotFoundPage, PageError, Root, StandaloneError } from './StandalonePages';

/** For routes that wait for the server. By default the router would show the pending page for at least half a second. */
const standalone = {
  pendingComponent: LandingLoader,
  pendingMs: 0,
  pendingMinMs: 0,
  errorComponent: StandaloneError,
};

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Root,
  notFoundComponent: NotFoundPage,
});

const index = createRoute({ getParentRoute: () => root, path: '/', beforeLoad: goHome, ...standalone });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/signin',
  component: lazyPage(() => import('@/features/auth/sign-in/SignInPage'), 'SignInPage'),
  errorComponent: StandaloneError,
});

const signUp = createRoute({
  getParentRoute: () => root,
  path: '/signup',
  component: lazyPage(() => import('@/features/auth/sign-in/SignUpPage'), 'SignUpPage'),
  errorComponent: StandaloneError,
});

const forgottenPassword = createRoute({
  getParentRoute: () => root,
  path: '/password/reset',
  component: lazyPage(() => import('@/features/auth/password/ForgottenPasswordPage'), 'ForgottenPasswordPage'),
  errorComponent: StandaloneError,
});

const newPassword = createRoute({
  getParentRoute: () => root,
  path: '/password/set',
  validateSearch: (raw: { token?: unknown } & SearchSchemaInput) => readTokenSearch(raw),
  component: lazyPage(() => import('@/features/auth/password/NewPasswordPage'), 'NewPasswordPage'),
  errorComponent: StandaloneError,
});

const confirmAccount = createRoute({
  getParentRoute: () => root,
  path: '/account/confirm',
  validateSearch: (raw: { token?: unknown } & SearchSchemaInput) => readTokenSearch(raw),
  loader: awaitSession,
  component: lazyPage(() => import('@/features/auth/confirm/ConfirmPage'), 'ConfirmPage'),
  ...standalone,
});

const confirmEmailChange = createRoute({
  getParentRoute: () => root,
  path: '/account/email/confirm',
  validateSearch: (raw: { token?: unknown } & SearchSchemaInput) => readTokenSearch(raw),
  loader: awaitSession,
  component: lazyPage(() => import('@/features/auth/confirm/ConfirmEmailPage'), 'ConfirmEmailPage'),
  ...standalone,
});

const cancelEmailChange = createRoute({
  getParentRoute: () => root,
  path: '/account/email/cancel',
  validateSearch: (raw: { token?: unknown } & SearchSchemaInput) => readTokenSearch(raw),
  component: lazyPage(() => import('@/features/auth/confirm/CancelEmailChangePage'), 'CancelEmailChangePage'),
  errorComponent: StandaloneError,
});

const twoStepSetup = createRoute({
  getParentRoute: () => root,
  path: '/two-step-setup',
  beforeLoad: requireMissingFactor,
  component: lazyPage(() => import('@/features/account/second-factor/SetUpFactorPage'), 'SetUpFactorPage'),
  ...standalone,
});

const signOutRoute = createRoute({ getParentRoute: () => root, path: '/signout', loader: signOut, ...standalone });

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: requireSession,
  component: lazyPage(() => import('./Layout'), 'Layout'),
  ...standalone,
});

const devices = createRoute({
  getParentRoute: () => signedIn,
  path: '/devices',
  search: { middlewares: [stripSearchParams(devicesList.defaults)] },
  ...listRoute(devicesList, (search) => devicesQuery(toDeviceListQuery(search))),
  component: lazyPage(() => import('@/features/devices/list/DevicesPage'), 'DevicesPage'),
});

const device = createRoute({
  getParentRoute: () => signedIn,
  path: '/devices/$dsn',
  validateSearch: readHistorySearch,
  loader: ({ context, params }) => {
    void context.queryClient.prefetchQuery(deviceQuery(params.dsn));
    void context.queryClient.prefetchQuery(deviceNotificationsQuery(params.dsn));
    // Shown on top, so that reading it later would move the page.
    if (context.queryClient.getQueryData(sessionQuery.queryKey)?.can.includes('attention.view')) {
      void context.queryClient.prefetchQuery(deviceAttentionQuery(params.dsn));
    }
  },
  component: lazyPage(() => import('./DeviceRoute'), 'DeviceRoute'),
});

const addDevice = createRoute({
  getParentRoute: () => signedIn,
  path: '/devices/add',
  beforeLoad: requirePermission('devices.add'),
  loader: ({ context }) => prefetchDeviceForm(context.queryClient),
  component: lazyPage(() => import('@/features/devices/form/AddDevicePage'), 'AddDevicePage'),
});

const editDevice = createRoute({
  getParentRoute: () => signedIn,
  path: '/devices/$dsn/edit',
  loader: ({ context }) => prefetchDeviceForm(context.queryClient),
  component: lazyPage(() => import('@/features/devices/form/EditDevicePage'), 'EditDevicePage'),
});

const editSchedule = createRoute({
  getParentRoute: () => signedIn,
  path: '/devices/$dsn/edit/schedule',
  validateSearch: (raw: { frame?: unknown } & SearchSchemaInput) => readScheduleSearch(raw),
  component: lazyPage(() => import('@/features/devices/schedule/EditSchedulePage'), 'EditSchedulePage'),
});

const copyDevice = createRoute({
  getParentRoute: () => signedIn,
  path: '/devices/$dsn/copy',
  search: { middlewares: [stripSearchParams(targetsList.defaults)] },
  validateSearch: (raw: RawTargetsSearch & SearchSchemaInput) => targetsList.read(raw),
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => {
    void context.queryClient.prefetchQuery(deviceQuery(params.dsn));
    const shown = targetsList.shown(deps, preferredPageSize(context.queryClient, targetsList.name));
    void context.queryClient.prefetchQuery(devicesQuery(toTargetsQuery(shown, params.dsn)));
  },
  component: lazyPage(() => import('@/features/devices/copy/CopyDevicePage'), 'CopyDevicePage'),
});

const users = createRoute({
  getParentRoute: () => signedIn,
  path: '/users',
  search: { middlewares: [stripSearchParams(usersList.defaults)] },
  ...listRoute(usersList, (search) => usersQuery(toUserListQuery(search)), 'users.view'),
  component: lazyPage(() => import('@/features/users/list/UsersPage'), 'UsersPage'),
});

const inviteUser = createRoute({
  getParentRoute: () => signedIn,
  path: '/users/invite',
  beforeLoad: requirePermission('users.invite'),
  component: lazyPage(() => import('@/features/users/form/InviteUserPage'), 'InviteUserPage'),
});

const user = createRoute({
  getParentRoute: () => signedIn,
  path: '/users/$id',
  beforeLoad: requirePermission('users.view'),
  component: lazyPage(() => import('./UserRoute'), 'UserRoute'),
});

const csps = createRoute({
  getParentRoute: () => signedIn,
  path: '/csps',
  search: { middlewares: [stripSearchParams(cspsList.defaults)] },
  ...listRoute(cspsList, (search) => cspsQuery(toCspListQuery(search)), 'csps.view'),
  component: lazyPage(() => import('@/features/csps/list/CspsPage'), 'CspsPage'),
});

const addCsp = createRoute({
  getParentRoute: () => signedIn,
  path: '/csps/add',
  beforeLoad: requirePermission('csps.edit'),
  component: lazyPage(() => import('@/features/csps/form/AddCspPage'), 'AddCspPage'),
});

const editCsp = createRoute({
  getParentRoute: () => signedIn,
  path: '/csps/$id',
  beforeLoad: requirePermission('csps.edit'),
  component: lazyPage(() => import('@/features/csps/form/EditCspPage'), 'EditCspPage'),
});

const attention = createRoute({
  getParentRoute: () => signedIn,
  path: '/attention',
  validateSearch: (raw: { [Name in keyof AttentionSearch]?: unknown } & SearchSchemaInput) => readAttentionSearch(raw),
  beforeLoad: requirePermission('attention.view'),
  loaderDeps: ({ search }) => readAttentionSearch(search),
  loader: ({ context, deps }) => {
    void context.queryClient.prefetchInfiniteQuery(attentionQuery(toAttentionQuery(deps)));
  },
  component: lazyPage(() => import('@/features/attention/list/AttentionPage'), 'AttentionPage'),
});

const attentionSettings = createRoute({
  getParentRoute: () => signedIn,
  path: '/attention/settings',
  validateSearch: (raw: { csp?: unknown } & SearchSchemaInput) => readSettingsSearch(raw),
  beforeLoad: requirePermission('attention.view'),
  component: lazyPage(() => import('@/features/attention/settings/AttentionSettingsPage'), 'AttentionSettingsPage'),
});

const fleet = createRoute({
  getParentRoute: () => signedIn,
  path: '/fleet',
  validateSearch: (raw: { [Name in keyof FleetSearch]?: unknown } & SearchSchemaInput) => readFleetSearch(raw),
  beforeLoad: requirePermission('devices.view'),
  loaderDeps: ({ search }) => readFleetSearch(search),
  loader: ({ context, deps }) => {
    void context.queryClient.prefetchQuery(fleetQuery(toFleetQuery(deps)));
  },
  component: lazyPage(() => import('@/features/fleet/FleetPage'), 'FleetPage'),
});

const audit = createRoute({
  getParentRoute: () => signedIn,
  path: '/audit',
  validateSearch: (raw: { [Name in keyof AuditSearch]?: unknown } & SearchSchemaInput) => readAuditSearch(raw),
  beforeLoad: requirePermission('audit.view'),
  // The router keeps unknown members of the query string.
  loaderDeps: ({ search }) => readAuditSearch(search),
  loader: ({ context, deps }) => {
    void context.queryClient.prefetchInfiniteQuery(auditQuery(toAuditQuery(deps)));
  },
  component: lazyPage(() => import('@/features/audit/list/AuditPage'), 'AuditPage'),
});

const jobs = createRoute({
  getParentRoute: () => signedIn,
  path: '/jobs',
  beforeLoad: requirePermission('jobs.view'),
  loader: ({ context }) => {
    void context.queryClient.prefetchInfiniteQuery(jobsQuery);
  },
  component: lazyPage(() => import('@/features/jobs/list/JobsPage'), 'JobsPage'),
});

const job = createRoute({
  getParentRoute: () => signedIn,
  path: '/jobs/$id',
  beforeLoad: requirePermission('jobs.view'),
  loader: ({ context, params }) => {
    void context.queryClient.prefetchQuery(jobQuery(params.id));
  },
  component: lazyPage(() => import('@/features/jobs/JobPage'), 'JobPage'),
});

const importCatalogue = createRoute({
  getParentRoute: () => signedIn,
  path: '/import',
  beforeLoad: requirePermission('fragrances.edit'),
  component: lazyPage(() => import('@/features/import/ImportPage'), 'ImportPage'),
});

const signInRules = createRoute({
  getParentRoute: () => signedIn,
  path: '/sign-in-rules',
  beforeLoad: requirePermission('sign_in_rules.edit'),
  component: lazyPage(() => import('@/features/sign-in-rules/SignInRulesPage'), 'SignInRulesPage'),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  validateSearch: (raw: { tab?: unknown } & SearchSchemaInput) => readAccountSearch(raw),
  component: lazyPage(() => import('@/features/account/AccountPage'), 'AccountPage'),
});

const about = createRoute({
  getParentRoute: () => signedIn,
  path: '/about',
  component: lazyPage(() => import('@/features/help/AboutPage'), 'AboutPage'),
});

const help = createRoute({
  getParentRoute: () => signedIn,
  path: '/help',
  component: lazyPage(() => import('@/features/help/HelpPage'), 'HelpPage'),
});

/** Prefetches the form's choices while its code loads, unless the user sees no devices. */
function prefetchDeviceForm(client: QueryClient): void {
  if (!client.getQueryData(sessionQuery.queryKey)?.can.includes('devices.view')) return;
  void client.prefetchQuery(fragrancesQuery);
  void client.prefetchQuery(timeZonesQuery);
}

const routeTree = root.addChildren([
  index,
  signIn,
  signUp,
  forgottenPassword,
  newPassword,
  confirmAccount,
  confirmEmailChange,
  cancelEmailChange,
  twoStepSetup,
  signOutRoute,
  signedIn.addChildren([
    devices,
    addDevice,
    device,
    editDevice,
    editSchedule,
    copyDevice,
    users,
    inviteUser,
    user,
    csps,
    addCsp,
    editCsp,
    jobs,
    job,
    attention,
    attentionSettings,
    fleet,
    audit,
    importCatalogue,
    signInRules,
    account,
    about,
    help,
  ]),
]);

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
  const { href, search, state } = router.history.location;
  if (search || state.dialogs) {
    const { dialogs: _closed, ...others } = state;
    router.history.replace(href, { ...others, ...(search && { link: state.link ?? search }) });
  }
  // The blockers of unsaved changes have been asked by now.
  router.subscribe('onBeforeLoad', ({ fromLocation, pathChanged }) => {
    if (!fromLocation || !pathChanged || !isUpdated() || queryClient.isMutating() > 0) return;
    router.history.flush();
    window.location.reload();
  });
  setSessionEndHandler((sessionEnded) => {
    const { pathname, href } = router.state.location;
    if (pathname === '/signout' || pathname === '/signin') return;
    storeReturnUrl(href);
    // Ignores unsaved changes, because they can no longer be saved.
    void router.navigate({ to: '/signout', replace: true, ignoreBlocker: true, state: { sessionEnded } });
  });
  // Runs the guards of the current page again.
  setAccessChangeHandler(() => void router.invalidate());
  return router;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
