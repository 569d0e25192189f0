#!/usr/bin/env node
// Starts the compiled quickstart, building it first in a checkout that has not been built yet.
import '../../scripts/ensure-built.mjs';

await import(new URL('../dist/bin/quickstart.js', import.meta.url).href);
