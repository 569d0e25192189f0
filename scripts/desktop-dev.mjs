// Runs the built desktop app: under Electron where its binary is, else under Node with the double of the tests, whose window is a page of a
// headless Chromium. `npm run desktop:dev -- --safe-mode` passes arguments on.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { electronBinary } from './electron-binary.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const binary = electronBinary();
const userData = process.env.SVC_DOUBLE_USER_DATA ?? join(root, '.svc-data', 'desktop');

if (binary === undefined) {
  console.log('No Electron binary was found: the app runs under Node, and its window is a page of a headless Chromium.');
  console.log(`Data: ${userData}. Open chrome://inspect in a browser with the DevTools address below to see the window. Ctrl+C ends it.`);
}
const [program, args] = binary === undefined ? [join(root, 'e2e/shell/double/electron.sh'), []] : [binary, [root]];
const child = spawn(program, [...args, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, SVC_DOUBLE_USER_DATA: userData },
});
process.on('SIGINT', () => child.kill('SIGTERM'));
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
