import { defineConfig } from '@playwright/test';
import { chromium } from './harness/chromium';

export default defineConfig({
  testDir: 'tests',
  outputDir: 'results',
  globalSetup: './harness/preconditions.ts',
  forbidOnly: true,
  // Each worker has its own system.
  workers: 2,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  retries: 0,
  reporter: [['line'], ['junit', { outputFile: '../target/junit/e2e.xml' }]],
  use: {
    ...chromium,
    // `npm test` records traces only when it repeats failed tests, because traces cost CPU time.
    trace: 'off',
    screenshot: 'only-on-failure',
    // `page.route` does not see requests of service workers.
    serviceWorkers: 'block',
  },
});
