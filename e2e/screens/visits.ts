import type { Locator, Page } from '@playwright/test';
import { AccountScreen } from './account';
import { AttentionScreen } from './attention';
import { AuditScreen } from './audit';
import {
  CancelEmailChangeScreen,
  ConfirmEmailScreen,
  ConfirmScreen,
  ForgottenPasswordScreen,
  NewPasswordScreen,
  SignUpScreen,
} from './auth';
import { CopyScreen } from './copy-page';
import { CspFormScreen, CspListScreen } from './csps';
import { DeviceFormScreen } from './device-form';
import { DeviceListScreen } from './device-list';
import { DeviceScreen } from './device-page';
import { FleetScreen } from './fleet';
import { HelpScreen } from './help';
import { ImportScreen } from './import';
import { JobsScreen } from './jobs';
import { ScheduleScreen } from './schedule-page';
import { SignInScreen } from './sign-in';
import { UserFormScreen } from './user-form';
import { UserListScreen } from './user-list';

/** CSP ids differ between systems: users who may open CSPs see that this one does not exist. */
const NO_CSP = '/csps/00000000-0000-4000-8000-000000000000';
const NO_JOB = '/jobs/00000000-0000-4000-8000-000000000000';

/** User ids differ between systems: users who may open users see that this one does not exist. */
const NOBODY = '/users/00000000-0000-4000-8000-000000000000';

/** How to visit a route, and how to recognise its page. */
interface Visit {
  address: (dsn: string) => string;
  arrived: (page: Page) => Locator;
}

const signInForm = (page: Page) => new SignInScreen(page).heading;
const deviceList = (page: Page) => new DeviceListScreen(page).heading;
const deviceForm = (page: Page) => new DeviceFormScreen(page).save;

/** One for each route of web/src/app/paths.ts. */
export const VISITS: Record<string, Visit> = {
  '/': { address: () => '/', arrived: (page) => signInForm(page).or(deviceList(page)) },
  '/signin': { address: () => '/signin', arrived: signInForm },
  '/signout': { address: () => '/signout', arrived: signInForm },
  '/signup': { address: () => '/signup', arrived: (page) => new SignUpScreen(page).heading },
  '/password/reset': { address: () => '/password/reset', arrived: (page) => new ForgottenPasswordScreen(page).heading },
  '/password/set': { address: () => '/password/set', arrived: (page) => new NewPasswordScreen(page).heading },
  '/account/confirm': { address: () => '/account/confirm', arrived: (page) => new ConfirmScreen(page).heading },
  '/account/email/confirm': {
    address: () => '/account/email/confirm',
    arrived: (page) => new ConfirmEmailScreen(page).heading,
  },
  '/account/email/cancel': {
    address: () => '/account/email/cancel',
    arrived: (page) => new CancelEmailChangeScreen(page).heading,
  },
  '/two-step-setup': {
    address: () => '/two-step-setup',
    arrived: (page) => signInForm(page).or(deviceList(page)),
  },
  '/devices': { address: () => '/devices', arrived: deviceList },
  '/devices/add': { address: () => '/devices/add', arrived: deviceForm },
  '/devices/$dsn': { address: (dsn) => `/devices/${dsn}`, arrived: (page) => new DeviceScreen(page).product('Mode') },
  '/devices/$dsn/edit': { address: (dsn) => `/devices/${dsn}/edit`, arrived: deviceForm },
  '/devices/$dsn/edit/schedule': {
    address: (dsn) => `/devices/${dsn}/edit/schedule`,
    arrived: (page) => new ScheduleScreen(page).save,
  },
  '/devices/$dsn/copy': {
    address: (dsn) => `/devices/${dsn}/copy`,
    arrived: (page) => new CopyScreen(page).apply,
  },
  '/csps': {
    address: () => '/csps',
    arrived: (page) => new CspListScreen(page).table.or(new CspListScreen(page).cards),
  },
  '/csps/add': { address: () => '/csps/add', arrived: (page) => new CspFormScreen(page).save },
  '/csps/$id': { address: () => NO_CSP, arrived: (page) => new CspFormScreen(page).failed },
  '/users': { address: () => '/users', arrived: (page) => new UserListScreen(page).heading },
  '/users/invite': { address: () => '/users/invite', arrived: (page) => new UserFormScreen(page).invite },
  '/users/$id': { address: () => NOBODY, arrived: (page) => new UserFormScreen(page).failed },
  '/attention': { address: () => '/attention', arrived: (page) => new AttentionScreen(page).thresholds },
  '/attention/settings': {
    address: () => '/attention/settings',
    arrived: (page) => page.getByRole('region', { name: 'Thresholds' }),
  },
  '/fleet': { address: () => '/fleet', arrived: (page) => new FleetScreen(page).heading },
  '/jobs': { address: () => '/jobs', arrived: (page) => new JobsScreen(page).heading },
  '/jobs/$id': { address: () => NO_JOB, arrived: (page) => new JobsScreen(page).failed },
  '/audit': { address: () => '/audit', arrived: (page) => new AuditScreen(page).table.or(new AuditScreen(page).cards) },
  '/import': { address: () => '/import', arrived: (page) => new ImportScreen(page).download },
  '/sign-in-rules': {
    address: () => '/sign-in-rules',
    arrived: (page) => page.getByRole('switch', { name: 'CSP Technician' }),
  },
  '/account': { address: () => '/account', arrived: (page) => new AccountScreen(page).field('First Name') },
  '/about': { address: () => '/about', arrived: (page) => page.getByRole('heading', { name: 'About Sillage' }) },
  '/help': { address: () => '/help', arrived: (page) => new HelpScreen(page).heading },
};

export const NOT_FOUND: Visit = {
  address: () => '/no/such/page',
  arrived: (page) => page.getByText('Page not found'),
};

export function visitOf(path: string): Visit {
  const visit = VISITS[path];
  if (!visit) throw new Error(`${path} of web/src/app/paths.ts has no visit in screens/visits.ts`);
  return visit;
}
