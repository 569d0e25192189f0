// Paths into a value as errors and references name them: `spec.edges[0].to`, `spec.data["tls.crt"]`, written and read. Pure.

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

const SEGMENT = /\.?([^.[\]]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** The server writes keys of labels and annotations unchanged, including dots. */
const METADATA_ENTRY = /^metadata\.(labels|annotations)\.(.+)$/s;

/** Parses a path of the server: `spec.data["tls.crt"]`, `spec.edges[0].to`. An invalid rest ends the path. */
export function parsePath(text: string): readonly PathSegment[] {
  const [, map, entry] = METADATA_ENTRY.exec(text) ?? [];
  if (map !== undefined && entry !== undefined) return ['metadata', map, entry];
  const path: PathSegment[] = [];
  SEGMENT.lastIndex = 0;
  for (let match = SEGMENT.exec(text); match; match = SEGMENT.exec(text)) {
    const [, key, index, quoted] = match;
    if (key !== undefined) path.push(key);
    else if (index !== undefined) path.push(Number(index));
    else path.push(unquoted(quoted ?? ''));
  }
  return path;
}

function unquoted(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}
