// Paths into a value as errors and references name them: `spec.edges[0].to`, `spec.data["tls.crt"]`. Pure.

export type PathSegment = string | number;

const PLAIN_KEY = /^[A-Za-z_][\w-]*$/;

/** Path of an entry of a map: `spec.data.user`, or `spec.data["tls.crt"]` for a key that a dotted path cannot hold. */
export function atKey(path: string, key: string): string {
  if (!PLAIN_KEY.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** Path of the segments below `root`. */
export function pathText(segments: readonly PathSegment[], root = ''): string {
  return segments.reduce<string>((path, segment) => (typeof segment === 'number' ? `${path}[${segment}]` : atKey(path, segment)), root);
}
