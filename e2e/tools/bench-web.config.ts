import { defineConfig } from '@playwright/test';
import tests from '../playwright.config';

/** `npm run bench`: how fast the first page is, not a test. */
export default defineConfig({
  ...tests,
  testDir: '.',
  testMatch: 'bench-web.ts',
  outputDir: '../../target/bench-web',
  globalSetup: '../harness/preconditions.ts',
  reporter: 'line',
  timeout: 300_000,
  workers: 1,
  // As people have them.
  use: { ...tests.use, serviceWorkers: 'allow' },
});
