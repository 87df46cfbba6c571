import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { BROWSERS } from './tools/browsers.ts';
import { chunksByUse } from './tools/chunks-by-use.ts';

/** Unused colors of the kit. */
const UNUSED_COLORS = /^--mantine-color-(pink|grape|violet|indigo|blue|cyan|green|lime|yellow|orange)-/;

export default defineConfig({
  plugins: [react(), chunksByUse()],
  resolve: { tsconfigPaths: true },
  css: {
    postcss: {
      plugins: [
        {
          postcssPlugin: 'unused-colors',
          Declaration: (declaration) => {
            if (UNUSED_COLORS.test(declaration.prop)) declaration.remove();
          },
        },
      ],
    },
  },
  server: {
    proxy: {
      // The console accepts writes only from its own origin, so it must see the browser's address.
      '/api': { target: 'http://127.0.0.1:8080', changeOrigin: false },
    },
  },
  build: {
    // These browsers support light-dark(). For older ones Lightning CSS would rewrite it in a way that breaks dark mode.
    target: Object.entries(BROWSERS).map(([browser, version]) => `${browser}${version}`),
    // Inlined assets become data: URLs, which the Content-Security-Policy refuses for fonts.
    assetsInlineLimit: 0,
    manifest: true,
    rolldownOptions: {
      input: { index: 'index.html', worker: 'src/worker/worker.ts' },
      output: {
        // The browser updates a worker under the name with which it was registered.
        entryFileNames: ({ name }) => (name === 'worker' ? 'worker.js' : 'assets/[name]-[hash].js'),
      },
    },
  },
});
