// How the console is built: into out/renderer, with nonces for the strict CSP, immutable hashed assets and brotli beside them.
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { chunkGroups } from './build/chunks.ts';
import { codeImport } from './build/code-import.ts';
import { kindTable } from './build/kind-table.ts';
import { precompress } from './build/precompress.ts';

/** Where `npm run dev:ui` finds its server. */
const DEV_SERVER = 'http://127.0.0.1:8080';

/** The dev page's origin differs from the server's, which accepts writes from its own pages only. */
const proxied = { target: DEV_SERVER, changeOrigin: true, headers: { origin: DEV_SERVER }, ws: true };

export default defineConfig({
  root: import.meta.dirname,
  // Relative, for any path prefix; the server writes the prefix into the page.
  base: './',
  plugins: [kindTable(), codeImport(), react(), tailwindcss(), precompress()],
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: '../out/renderer',
    emptyOutDir: true,
    target: 'es2023',
    minify: true,
    reportCompressedSize: false,
    // A data: URL in a style sheet would need its own hole in the CSP.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    rolldownOptions: { output: { codeSplitting: { groups: chunkGroups } } },
  },
  server: { port: 5173, proxy: { '/v1': proxied, '/trpc': proxied } },
});
