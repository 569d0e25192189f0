// Types of chromium.cjs, which programs in JavaScript load as it is.

/** Browser of tests: that of `SVC_CHROMIUM`, the headless build, or a whole one; undefined when there is none. */
export function findTestChromium(): string | undefined;
/** A browser as users have it: that of `SVC_CHROMIUM`, a whole one, or the headless build. Throws when there is none. */
export function requireChromium(): string;
/** Flags for tests: optimizing code takes a fifth of their time, and no page lives long enough to gain from it. */
export const TEST_FLAGS: readonly string[];
