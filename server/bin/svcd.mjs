#!/usr/bin/env node
// Starts the compiled svcd, building it first in a checkout that has not been built yet.
import '../../scripts/ensure-built.mjs';

await import('../dist/bin/svcd.js');
