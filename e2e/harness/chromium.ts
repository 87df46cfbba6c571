import type { PlaywrightTestConfig } from '@playwright/test';

/**
 * Path of the browser; Playwright's own browser is never downloaded. The headless shell is Chromium without its windows, menus and
 * address bar, which would cost a sixth of the processor time.
 */
export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell';

/** Features to disable. Chromium obeys only the last `--disable-features`, so this list repeats Playwright's own. */
const DISABLED_FEATURES = [
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

/** Launch options: no sandbox, because CI runs as root in a container, and no background requests. */
export const chromium: PlaywrightTestConfig['use'] = {
  browserName: 'chromium',
  launchOptions: {
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--disable-features=${DISABLED_FEATURES.join()}`,
    ],
  },
  locale: 'en-US',
  timezoneId: 'America/New_York',
  // During a fade, axe would report insufficient contrast.
  contextOptions: { reducedMotion: 'reduce' },
};
