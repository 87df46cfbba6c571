import { defineConfig } from '@playwright/test';
import { chromium } from './harness/chromium';

export default defineConfig({
  testDir: 'tests',
  outputDir: 'results',
  globalSetup: './harness/preconditions.ts',
  forbidOnly: true,
  // Each worker has a system of its own.
  workers: 2,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  retries: 0,
  reporter: [['line'], ['junit', { outputFile: '../target/junit/e2e.xml' }]],
  use: {
    ...chromium,
    // `npm test` records traces when it runs failed tests again: a trace costs every test CPU time.
    trace: 'off',
    screenshot: 'only-on-failure',
    // Requests that a service worker makes are not seen by `page.route`.
    serviceWorkers: 'block',
  },
});
