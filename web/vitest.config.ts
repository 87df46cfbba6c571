import { defineConfig, mergeConfig } from 'vitest/config';
import viteConfig from './vite.config.ts';

export default mergeConfig(
  viteConfig,
  defineConfig({
    test: {
      restoreMocks: true,
      unstubGlobals: true,
      testTimeout: 30_000,
      // By default one core is left idle.
      maxWorkers: 2,
      env: { DEBUG_PRINT_LIMIT: '2000' },
      reporters: ['default', ['junit', { outputFile: '../target/junit/web.xml' }]],
      projects: [
        { extends: true, test: { name: 'rules', include: ['{src,test}/**/*.test.ts'], environment: 'node' } },
        {
          extends: true,
          test: {
            name: 'screens',
            include: ['src/**/*.test.tsx'],
            environment: 'jsdom',
            setupFiles: ['test/setup.ts'],
          },
        },
      ],
    },
  }),
);
