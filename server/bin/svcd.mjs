#!/usr/bin/env node
// Starts the compiled svcd, building it first in a checkout that has not been built yet.
import '../../scripts/ensure-built.mjs';

await import(new URL('../dist/bin/svcd.js', import.meta.url).href);
