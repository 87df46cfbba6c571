// Fails when a route's first load (its chunk and all static imports, gzip) outgrows its budget.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';

const DIST = join(import.meta.dirname, '../dist');
const ENTRY = 'index.html';
const LAYOUT = 'src/app/Layout.tsx';
const COUNTRIES = 'node_modules/country-region-data/data.json';
const ROUTES = [
  { path: '/signin', chunks: [ENTRY, 'src/features/auth/SignInPage.tsx'], kB: 215 },
  { path: '/signup', chunks: [ENTRY, 'src/features/auth/SignUpPage.tsx'], kB: 215 },
  { path: '/password/reset', chunks: [ENTRY, 'src/features/auth/ForgottenPasswordPage.tsx'], kB: 215 },
  { path: '/password/set', chunks: [ENTRY, 'src/features/auth/NewPasswordPage.tsx'], kB: 215 },
  { path: '/account/confirm', chunks: [ENTRY, 'src/features/auth/ConfirmPage.tsx'], kB: 215 },
  { path: '/devices', chunks: [ENTRY, LAYOUT, 'src/features/devices/DevicesPage.tsx'], kB: 250 },
  { path: '/devices/$dsn', chunks: [ENTRY, LAYOUT, 'src/app/DeviceRoute.tsx'], kB: 290 },
  { path: '/devices/add', chunks: [ENTRY, LAYOUT, 'src/features/devices/AddDevicePage.tsx', COUNTRIES], kB: 320 },
  {
    path: '/devices/$dsn/edit',
    chunks: [ENTRY, LAYOUT, 'src/features/devices/EditDevicePage.tsx', COUNTRIES],
    kB: 320,
  },
  {
    path: '/devices/$dsn/edit/schedule',
    chunks: [ENTRY, LAYOUT, 'src/features/devices/EditSchedulePage.tsx'],
    kB: 290,
  },
  { path: '/devices/$dsn/copy', chunks: [ENTRY, LAYOUT, 'src/features/devices/CopyDevicePage.tsx'], kB: 290 },
  { path: '/users', chunks: [ENTRY, LAYOUT, 'src/features/users/UsersPage.tsx'], kB: 250 },
  { path: '/users/invite', chunks: [ENTRY, LAYOUT, 'src/features/users/InviteUserPage.tsx', COUNTRIES], kB: 290 },
  { path: '/users/$id', chunks: [ENTRY, LAYOUT, 'src/app/UserRoute.tsx', COUNTRIES], kB: 290 },
  { path: '/csps', chunks: [ENTRY, LAYOUT, 'src/features/csps/CspsPage.tsx'], kB: 250 },
  { path: '/csps/add', chunks: [ENTRY, LAYOUT, 'src/features/csps/AddCspPage.tsx'], kB: 290 },
  { path: '/csps/$id', chunks: [ENTRY, LAYOUT, 'src/features/csps/EditCspPage.tsx'], kB: 290 },
  { path: '/audit', chunks: [ENTRY, LAYOUT, 'src/features/audit/AuditPage.tsx'], kB: 250 },
  { path: '/import', chunks: [ENTRY, LAYOUT, 'src/features/import/ImportPage.tsx'], kB: 290 },
  { path: '/account', chunks: [ENTRY, LAYOUT, 'src/features/account/AccountPage.tsx', COUNTRIES], kB: 290 },
  { path: '/about', chunks: [ENTRY, LAYOUT, 'src/features/about/AboutPage.tsx'], kB: 250 },
  { path: '/help', chunks: [ENTRY, LAYOUT, 'src/features/help/HelpPage.tsx'], kB: 250 },
];
/** What comes later than its route, when it is needed. */
const LATER = [
  { path: 'history', chunk: 'src/features/devices/history/HistoryCharts.tsx', kB: 40 },
  { path: 'report', chunk: 'src/ui/list/ReportForm.tsx', kB: 10 },
  { path: 'shortcuts', chunk: 'src/ui/ShortcutKeys.tsx', kB: 10 },
  { path: 'bulk edit', chunk: 'src/features/devices/bulk/BulkEditPanel.tsx', kB: 10 },
  { path: 'catalogue', chunk: 'src/features/import/catalogue-csv.ts', kB: 12 },
  { path: 'notification', chunk: 'src/features/devices/notifications/NotificationFields.tsx', kB: 10 },
];
const CSS_KB = 28;

const manifest = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8'));

function filesOf(chunks) {
  const seen = new Set();
  const visit = (key) => {
    if (seen.has(key)) return;
    if (!manifest[key]) throw new Error(`no chunk ${key} in the build: update ROUTES`);
    seen.add(key);
    manifest[key].imports?.forEach(visit);
  };
  chunks.forEach(visit);
  const parts = [...seen].map((key) => manifest[key]);
  return {
    js: new Set(parts.map((part) => part.file)),
    css: new Set(parts.flatMap((part) => part.css ?? [])),
  };
}

function gzipKb(files) {
  let bytes = 0;
  for (const file of files) {
    bytes += gzipSync(readFileSync(join(DIST, file)), { level: constants.Z_BEST_COMPRESSION }).length;
  }
  return bytes / 1000;
}

for (const { path, chunks, kB } of ROUTES) {
  const files = filesOf(chunks);
  const js = gzipKb(files.js);
  const css = gzipKb(files.css);
  const over = js > kB || css > CSS_KB;
  if (over) process.exitCode = 1;
  console.log(
    `${path.padEnd(27)} js ${js.toFixed(1)} of ${kB} kB in ${files.js.size} files, css ${css.toFixed(1)} of ${CSS_KB} kB${over ? '  TOO BIG' : ''}`,
  );
}

for (const { path, chunk, kB } of LATER) {
  if (!manifest[chunk]?.isDynamicEntry) throw new Error(`${chunk} is no longer loaded by itself: update LATER`);
  const js = gzipKb([manifest[chunk].file]);
  if (js > kB) process.exitCode = 1;
  console.log(`${path.padEnd(18)} js ${js.toFixed(1)} of ${kB} kB, later${js > kB ? '  TOO BIG' : ''}`);
}
