// Reproducible randomness: a failing run prints its seed, SVC_TEST_SEED runs it again.

/** mulberry32: uniform in [0, 1). */
export function seededRandom(seed = Number(process.env['SVC_TEST_SEED'] ?? Date.now() % 1_000_000)): {
  seed: number;
  random: () => number;
} {
  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  return { seed, random };
}
