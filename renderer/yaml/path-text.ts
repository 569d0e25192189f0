// Paths into a value as the server writes them, `spec.edges[0].to`: read and written. Pure.

export type PathSegment = string | number;
export type YamlPath = readonly PathSegment[];

const SEGMENT = /\.?([^.[\]]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** The server writes keys of labels and annotations as they are, dots and all. */
const METADATA_ENTRY = /^metadata\.(labels|annotations)\.(.+)$/s;

/** Reads a path as the server writes it: `spec.data["tls.crt"]`, `spec.edges[0].to`. What cannot be read ends the path. */
export function parsePath(text: string): YamlPath {
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

/** The path as the server writes it. */
export function pathText(path: YamlPath): string {
  return path.reduce<string>((text, segment) => {
    if (typeof segment === 'number') return `${text}[${segment}]`;
    if (!/^[A-Za-z_][\w-]*$/.test(segment)) return `${text}[${JSON.stringify(segment)}]`;
    return text === '' ? segment : `${text}.${segment}`;
  }, '');
}
