// Objects as editable YAML, and the way back to values: the one place that separates server fields from editable ones. Pure.
import { atKey } from '@svc/shared/path-text';
import { isObject } from '@svc/shared/json';
import { API_VERSION, type Resource } from '@svc/shared/resource';
import { LineCounter, stringify } from 'yaml';
import { isWriteOnly } from '../kinds/kind-table.ts';
import { duplicateKeys, parseYaml, valueOf } from './yaml-paths.ts';

/** Placeholder that reads show instead of a Secret's value. It must never be written back. */
export const REDACTED = '***';

const SECRET_COMMENT =
  ' Values are write-only and are not shown. Put new or changed ones under stringData; keys that are not named keep their value.';

export interface EditableObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: unknown;
}

const filled = (map: Readonly<Record<string, string>> | undefined) => (map && Object.keys(map).length > 0 ? map : undefined);

/** Fields of an object that a person may change, keys in reading order: no status, no uid, no versions, no redacted values. */
export function editable(resource: Pick<Resource, 'kind' | 'metadata' | 'spec'>): EditableObject {
  const { name, namespace, labels, annotations } = resource.metadata;
  const [kept, notes] = [filled(labels), filled(annotations)];
  return {
    apiVersion: API_VERSION,
    kind: resource.kind,
    metadata: { name, namespace, ...(kept && { labels: kept }), ...(notes && { annotations: notes }) },
    spec: isWriteOnly(resource.kind) ? { stringData: {} } : resource.spec,
  };
}

/** A value as YAML in this console's style: two spaces, no folding of long lines. */
export function toYaml(value: unknown): string {
  return stringify(value, { indent: 2, lineWidth: 0, aliasDuplicateObjects: false, version: '1.2' });
}

/** A value with its keys in the order of an earlier one, new keys last: a comparison of both then shows values alone. */
export function inOrderOf(value: unknown, earlier: unknown): unknown {
  if (Array.isArray(value)) return value.map((item, index) => inOrderOf(item, Array.isArray(earlier) ? earlier[index] : undefined));
  if (!isObject(value) || !isObject(earlier)) return value;
  const keys = new Set([...Object.keys(earlier).filter((key) => Object.hasOwn(value, key)), ...Object.keys(value)]);
  return Object.fromEntries([...keys].map((key) => [key, inOrderOf(value[key], earlier[key])]));
}

/** An object as editable YAML. */
export function objectYaml(resource: Pick<Resource, 'kind' | 'metadata' | 'spec'>): string {
  const text = toYaml(editable(resource));
  if (!isWriteOnly(resource.kind)) return text;
  const keys = isObject(resource.spec.data) ? Object.keys(resource.spec.data) : [];
  const there = keys.length === 0 ? '' : `# Set now: ${keys.map((key) => JSON.stringify(key)).join(', ')}\n`;
  return `#${SECRET_COMMENT}\n${there}${text}`;
}

/** Several objects as one text. */
export function objectsYaml(resources: readonly Pick<Resource, 'kind' | 'metadata' | 'spec'>[]): string {
  return resources.map(objectYaml).join('---\n');
}

export interface PlacedMessage {
  /** From 1. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** One document of a text, as far as it can be read. */
export interface ParsedDocument {
  /** Index among the non-empty documents. */
  readonly index: number;
  readonly text: string;
  /** Line of its first character in the whole text, from 1. */
  readonly line: number;
  readonly value: Readonly<Record<string, unknown>> | undefined;
  readonly errors: readonly PlacedMessage[];
}

function messagesOf(text: string, lines: LineCounter, document: ReturnType<typeof parseYaml>[number]): PlacedMessage[] {
  const place = (offset: number, message: string): PlacedMessage => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { line: Math.max(1, line), column: Math.max(1, col), message };
  };
  return [
    ...document.document.errors.map((error) => place(error.pos[0], error.message)),
    ...duplicateKeys(document).map(({ key, range }) => place(range.from, `The key ${key} occurs more than once; keep one`)),
  ];
}

/** Documents of a text, each with its own errors; empty ones are left out. An unreadable one does not stop the others. */
export function splitDocuments(text: string): readonly ParsedDocument[] {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
  return parseYaml(text)
    .map((document) => {
      const errors = messagesOf(text, lines, document);
      const read = errors.length === 0 ? valueOf(document) : undefined;
      const { line } = lines.linePos(document.from);
      const place = { line: Math.max(1, line), column: 1 };
      const faults =
        errors.length > 0 || (read && (read.value === null || isObject(read.value)))
          ? errors
          : [
              {
                ...place,
                message: read
                  ? 'An object is expected: apiVersion, kind, metadata and spec'
                  : 'Its aliases are unknown, contain themselves or expand to too much',
              },
            ];
      const value = isObject(read?.value) ? read.value : undefined;
      return { text: text.slice(document.from, document.to), line: place.line, value, errors: faults };
    })
    .filter(({ value, errors }) => value !== undefined || errors.length > 0)
    .map((each, index) => ({ index, ...each }));
}

/** Parses an object's YAML as the body of a write; undefined while it cannot be read. */
export function readObject(
  text: string,
): { readonly body: Readonly<Record<string, unknown>> } | { readonly errors: readonly PlacedMessage[] } {
  const documents = splitDocuments(text);
  const [first, second] = documents;
  if (!first) return { errors: [{ line: 1, column: 1, message: 'There is nothing here to save' }] };
  if (second) return { errors: [{ line: second.line, column: 1, message: 'One document is expected here; use the import for several' }] };
  return first.value ? { body: first.value } : { errors: first.errors };
}

/** Paths of a Secret's values that are `***`: writing them would destroy the stored values. */
export function redactedPaths(body: unknown): readonly string[] {
  if (!isObject(body) || !isWriteOnly(body.kind) || !isObject(body.spec)) return [];
  const { spec } = body;
  return ['data', 'stringData'].flatMap((map) => {
    const values = spec[map];
    if (!isObject(values)) return [];
    return Object.keys(values)
      .filter((key) => values[key] === REDACTED)
      .map((key) => atKey(`spec.${map}`, key));
  });
}
