import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { chunksByUse } from './tools/chunks-by-use.ts';

/** The kit's colors that nothing here has. */
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
      // The console takes writes from its own address only, so it must see the one that the browser sees.
      '/api': { target: 'http://127.0.0.1:8080', changeOrigin: false },
    },
  },
  build: {
    // These browsers know light-dark(); for older ones Lightning CSS would rewrite it in a way that breaks dark mode.
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // Inlined assets become data: URLs, which the Content-Security-Policy refuses for fonts.
    assetsInlineLimit: 0,
    manifest: true,
    rolldownOptions: {
      input: { index: 'index.html', worker: 'src/worker/worker.ts' },
      output: {
        // The browser compares the worker under the name that it was registered with.
        entryFileNames: ({ name }) => (name === 'worker' ? 'worker.js' : 'assets/[name]-[hash].js'),
      },
    },
  },
});
