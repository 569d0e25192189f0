// Place of a value in a document. shared/path-text.ts writes and reads paths in the server's notation.
import type { PathSegment } from '@svc/shared/path-text';

export type YamlPath = readonly PathSegment[];
