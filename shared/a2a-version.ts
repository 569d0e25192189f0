// Versions of A2A as cards and Tools write them, and the dialect in which this service speaks them.

/** Undefined for a version that is not spoken here. A2A 0.1 has the methods of the plain dialect. */
export function dialectOf(version: string): 'spec' | 'v03' | 'v1' | undefined {
  if (/^spec$/i.test(version)) return 'spec';
  const [, major, minor = '0'] = /^v?(\d+)(?:\.(\d+))?(?:\.\d+)*$/i.exec(version.trim()) ?? [];
  if (major === '1') return 'v1';
  if (major !== '0') return undefined;
  return minor === '1' ? 'spec' : minor === '2' || minor === '3' ? 'v03' : undefined;
}
