import { defineConfig } from '@playwright/test';
import { chromium } from './harness/chromium';

export default defineConfig({
  testDir: 'tests',
  outputDir: 'results',
  globalSetup: './harness/preconditions.ts',
  forbidOnly: true,
  // Each worker has its own system.
  workers: 2,
  // The only limits: a hanging test ends, and a slow machine fails none. A test has no limit of its own.
  timeout: 900_000,
  expect: { timeout: 300_000 },
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
