import { defineConfig } from '@playwright/test';
import tests from '../playwright.config';

/** `npm run shots -- FOLDER`: pictures of the screens. Not tests. */
export default defineConfig({
  ...tests,
  testDir: '.',
  testMatch: 'shots.ts',
  outputDir: '../../target/shots',
  globalSetup: '../harness/preconditions.ts',
  reporter: 'line',
});
