// Dynamic imports by `importCode`, in place of the helper of Vite, whose preloads fill the browser's table of modules.
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const HELPER = '\0vite/preload-helper.js';
const SOURCE = fileURLToPath(new URL('../ui/import-code.ts', import.meta.url));

export function codeImport(): Plugin {
  return {
    name: 'code-import',
    enforce: 'pre',
    apply: 'build',
    config: () => ({
      build: {
        modulePreload: {
          polyfill: false,
          // Vite names no file for a chunk that needs only itself.
          resolveDependencies: (file, needed, { hostType }) => (hostType === 'js' && needed.length === 0 ? [file] : needed),
        },
      },
    }),
    load: {
      order: 'pre',
      handler: (id) => (id === HELPER ? `export { importCode as __vitePreload } from ${JSON.stringify(SOURCE)};` : undefined),
    },
  };
}
