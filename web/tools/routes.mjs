// The first load of each route, for size budgets and preloads, from the manifest of the build.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const DIST = join(import.meta.dirname, '../dist');
const LAYOUT = 'src/app/Layout.tsx';
const COUNTRIES = 'node_modules/country-region-data/data.json';

/** `chunks`: the chunks besides those that index.html names. `kB`: the compressed size budget for script and style together. */
export const ROUTES = [
  { path: '/signin', chunks: ['src/features/auth/sign-in/SignInPage.tsx'], kB: 158 },
  { path: '/signup', chunks: ['src/features/auth/sign-in/SignUpPage.tsx'], kB: 146 },
  { path: '/password/reset', chunks: ['src/features/auth/password/ForgottenPasswordPage.tsx'], kB: 155 },
  { path: '/password/set', chunks: ['src/features/auth/password/NewPasswordPage.tsx'], kB: 157 },
  { path: '/account/confirm', chunks: ['src/features/auth/confirm/ConfirmPage.tsx'], kB: 155 },
  { path: '/two-step-setup', chunks: ['src/features/account/second-factor/SetUpFactorPage.tsx'], kB: 225 },
  { path: '/devices', chunks: [LAYOUT, 'src/features/devices/list/DevicesPage.tsx'], kB: 210 },
  { path: '/devices/$dsn', chunks: [LAYOUT, 'src/app/DeviceRoute.tsx'], kB: 292 },
  { path: '/devices/add', chunks: [LAYOUT, 'src/features/devices/form/AddDevicePage.tsx', COUNTRIES], kB: 270 },
  { path: '/devices/$dsn/edit', chunks: [LAYOUT, 'src/features/devices/form/EditDevicePage.tsx', COUNTRIES], kB: 272 },
  {
    path: '/devices/$dsn/edit/schedule',
    chunks: [LAYOUT, 'src/features/devices/schedule/EditSchedulePage.tsx'],
    kB: 252,
  },
  { path: '/devices/$dsn/copy', chunks: [LAYOUT, 'src/features/devices/copy/CopyDevicePage.tsx'], kB: 230 },
  { path: '/users', chunks: [LAYOUT, 'src/features/users/list/UsersPage.tsx'], kB: 213 },
  { path: '/users/invite', chunks: [LAYOUT, 'src/features/users/form/InviteUserPage.tsx', COUNTRIES], kB: 271 },
  { path: '/users/$id', chunks: [LAYOUT, 'src/app/UserRoute.tsx', COUNTRIES], kB: 286 },
  { path: '/csps', chunks: [LAYOUT, 'src/features/csps/list/CspsPage.tsx'], kB: 211 },
  { path: '/csps/add', chunks: [LAYOUT, 'src/features/csps/form/AddCspPage.tsx'], kB: 224 },
  { path: '/csps/$id', chunks: [LAYOUT, 'src/features/csps/form/EditCspPage.tsx'], kB: 226 },
  { path: '/attention', chunks: [LAYOUT, 'src/features/attention/list/AttentionPage.tsx'], kB: 229 },
  {
    path: '/attention/settings',
    chunks: [LAYOUT, 'src/features/attention/settings/AttentionSettingsPage.tsx'],
    kB: 228,
  },
  { path: '/fleet', chunks: [LAYOUT, 'src/features/fleet/FleetPage.tsx'], kB: 223 },
  { path: '/jobs', chunks: [LAYOUT, 'src/features/jobs/list/JobsPage.tsx'], kB: 214 },
  { path: '/jobs/$id', chunks: [LAYOUT, 'src/features/jobs/JobPage.tsx'], kB: 221 },
  { path: '/audit', chunks: [LAYOUT, 'src/features/audit/list/AuditPage.tsx'], kB: 222 },
  { path: '/import', chunks: [LAYOUT, 'src/features/import/ImportPage.tsx'], kB: 220 },
  { path: '/sign-in-rules', chunks: [LAYOUT, 'src/features/sign-in-rules/SignInRulesPage.tsx'], kB: 214 },
  { path: '/account', chunks: [LAYOUT, 'src/features/account/AccountPage.tsx', COUNTRIES], kB: 277 },
  { path: '/about', chunks: [LAYOUT, 'src/features/help/AboutPage.tsx'], kB: 210 },
  { path: '/help', chunks: [LAYOUT, 'src/features/help/HelpPage.tsx'], kB: 211 },
];

export const manifest = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8'));
const page = readFileSync(join(DIST, 'index.html'), 'utf8');
const NAMED_FILES = /(?:src|href)="\/(assets\/[^"]+)"/g;

/** The script and style files of index.html, then those of the chunks with all their static imports. */
export function filesOf(chunks) {
  const files = new Set(Array.from(page.matchAll(NAMED_FILES), ([, file]) => file));
  const seen = new Set();
  const visit = (key) => {
    if (seen.has(key)) return;
    if (!manifest[key]) throw new Error(`no chunk ${key} in the build: update ROUTES`);
    seen.add(key);
    const { file, css = [], imports = [] } = manifest[key];
    imports.forEach(visit);
    for (const one of [file, ...css]) files.add(one);
  };
  chunks.forEach(visit);
  return [...files];
}
