// Program of the server process beside main: the same svcd as a headless installation runs, found in the app or in the checkout.
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const packaged = join(root, 'dist', 'bin', 'svcd.js');
const checkout = join(root, 'server', 'dist', 'bin', 'svcd.js');
await import(pathToFileURL(existsSync(packaged) ? packaged : checkout).href);
