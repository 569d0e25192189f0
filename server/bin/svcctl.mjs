#!/usr/bin/env node
// Starts the compiled svcctl, building it first in a checkout that has not been built yet.
import '../../scripts/ensure-built.mjs?server-only';

await import(new URL('../dist/bin/svcctl.js', import.meta.url).href);
