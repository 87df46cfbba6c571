import { defineConfig } from '@playwright/test';
import tests from '../playwright.config';

/** `npm run bench`: a benchmark of the first load, not a test. */
export default defineConfig({
  ...tests,
  testDir: '.',
  testMatch: 'bench-web.ts',
  outputDir: '../../target/bench-web',
  globalSetup: '../harness/preconditions.ts',
  reporter: 'line',
  timeout: 300_000,
  workers: 1,
  // Allowed, as in normal use.
  use: { ...tests.use, serviceWorkers: 'allow' },
});
