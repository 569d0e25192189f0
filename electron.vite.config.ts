// How the desktop app is built: main and server program as ES modules, the preload as one CommonJS file, all minified. Vite builds the console itself.
import { defineConfig } from 'electron-vite';

const build = { target: 'node22', minify: true, sourcemap: false, reportCompressedSize: false } as const;

export default defineConfig({
  main: {
    build: {
      ...build,
      externalizeDeps: { exclude: ['@svc/shared', 'lowdb', 'steno', 'zod', 'electron-updater'] },
      rollupOptions: {
        input: { index: 'electron/main.ts', svcd: 'electron/svcd.ts' },
        output: { format: 'es', entryFileNames: '[name].js' },
      },
    },
  },
  preload: {
    build: {
      ...build,
      rollupOptions: { input: { index: 'electron/preload.ts' }, output: { format: 'cjs', entryFileNames: '[name].cjs' } },
    },
  },
});
