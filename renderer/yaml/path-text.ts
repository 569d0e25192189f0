// Reads paths in the server's notation, `spec.edges[0].to`; shared/path-text.ts writes them. Pure.
import type { PathSegment } from '@svc/shared/path-text';

export type YamlPath = readonly PathSegment[];

const SEGMENT = /\.?([^.[\]]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** The server writes keys of labels and annotations unchanged, including dots. */
const METADATA_ENTRY = /^metadata\.(labels|annotations)\.(.+)$/s;

/** Parses a path of the server: `spec.data["tls.crt"]`, `spec.edges[0].to`. An invalid rest ends the path. */
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
