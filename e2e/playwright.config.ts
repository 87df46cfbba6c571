import { defineConfig } from '@playwright/test';
import { chromium } from './harness/chromium';

export default defineConfig({
  testDir: 'tests',
  outputDir: 'results',
  globalSetup: './harness/preconditions.ts',
  forbidOnly: true,
  // One system, two cores: the tests share both.
  workers: 1,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  retries: 0,
  reporter: [['line'], ['junit', { outputFile: '../target/junit/e2e.xml' }]],
  use: {
    ...chromium,
    // Its film would cost a fifth of the time of every test.
    trace: { mode: 'retain-on-failure', screenshots: false },
    screenshot: 'only-on-failure',
  },
});
