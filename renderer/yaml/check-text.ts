// Checks of a YAML text without the server: syntax, the envelope, and the kind's own rules, each problem at its place. Pure.
import type { Field } from '@svc/shared/kinds/kind-fields';
import type { FieldError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import { checkSpec } from '@svc/shared/kinds/check';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { unknownKindMessage } from '@svc/shared/kinds/unknown-kind';
import { didYouMean, nearestWord } from '@svc/shared/nearest-word';
import { API_VERSION, METADATA_FIELDS, nameProblem, namespaceProblem, RESOURCE_FIELDS } from '@svc/shared/resource';
import { childNode, envelopeNode, nodeAt } from './schema-source.ts';
import { parsePath } from '@svc/shared/path-text';
import type { YamlPath } from './path-text.ts';
import { duplicateKeys, markOfPath, parseYaml, rangeOfPath, valueOf, type TextRange, type YamlDocument } from './yaml-paths.ts';
import type { KindDefinitions } from '../kinds/definitions.ts';

export interface TextFix {
  readonly label: string;
  readonly change: TextRange & { readonly insert: string };
}

/** A problem at a place in the text. */
export interface TextProblem extends TextRange {
  readonly severity: 'error' | 'warning' | 'info';
  /** A complete sentence. */
  readonly message: string;
  /** `spec.edges[0].to`; empty for the whole document or without a path. */
  readonly path: string;
  readonly source: 'syntax' | 'rules' | 'server' | 'caller';
  readonly fix?: TextFix;
}

export interface CheckOptions {
  readonly known: KindDefinitions;
  readonly namespace: string;
  /** The only kind the text may hold. */
  readonly kind?: string | undefined;
}

export interface TextCheck {
  readonly problems: readonly TextProblem[];
  readonly documents: readonly YamlDocument[];
  /** Values to check on the server; undefined while local errors exist that it would repeat. */
  readonly values: readonly unknown[] | undefined;
}

const FIELDS_SHOWN = 1000;

const given = (value: unknown) => value !== undefined && value !== null;

function textMapErrors(path: string, entries: unknown): FieldError[] {
  if (!given(entries)) return [];
  if (!isObject(entries)) return [{ path, message: 'must be an object of texts' }];
  const wrong = Object.entries(entries).filter(([, each]) => typeof each !== 'string');
  return wrong.map(([key]) => ({ path: `${path}.${key}`, message: 'must be a string; quote numbers and true or false' }));
}

function metadataErrors(value: unknown): FieldError[] {
  if (!isObject(value)) return [{ path: 'metadata', message: given(value) ? 'must be an object' : 'is required, with at least a name' }];
  const { name, namespace } = value;
  const errors: FieldError[] = [];
  const at = (path: string, message: string | undefined) => message !== undefined && errors.push({ path: `metadata.${path}`, message });
  if (!given(name) || name === '') at('name', 'is required');
  else at('name', typeof name === 'string' ? nameProblem(name) : 'must be a string; quote it');
  if (given(namespace) && namespace !== '')
    at('namespace', typeof namespace === 'string' ? namespaceProblem(namespace) : 'must be a string; quote it');
  for (const map of ['labels', 'annotations']) errors.push(...textMapErrors(`metadata.${map}`, value[map]));
  for (const key of Object.keys(value))
    if (!METADATA_FIELDS.includes(key)) at(key, `is not a field of metadata${didYouMean(key, METADATA_FIELDS)}`);
  return errors;
}

function envelopeErrors(
  value: Record<string, unknown>,
  definition: KindDefinition | undefined,
  { known, kind }: CheckOptions,
): FieldError[] {
  const errors: FieldError[] = [];
  if (!given(value.apiVersion)) errors.push({ path: 'apiVersion', message: `is required: ${API_VERSION}` });
  else if (value.apiVersion !== API_VERSION) errors.push({ path: 'apiVersion', message: `must be ${API_VERSION}` });
  if (!given(value.kind)) errors.push({ path: 'kind', message: 'is required' });
  else if (kind !== undefined && value.kind !== kind) errors.push({ path: 'kind', message: `must be ${kind} here` });
  else if (!definition) errors.push({ path: 'kind', message: unknownKindMessage(value.kind, known.kinds) });
  for (const key of Object.keys(value))
    if (!RESOURCE_FIELDS.includes(key))
      errors.push({ path: key, message: `is not a field of an object${didYouMean(key, RESOURCE_FIELDS)}` });
  return [...errors, ...metadataErrors(value.metadata)];
}

function specErrors(value: Record<string, unknown>, definition: KindDefinition, namespace: string): readonly FieldError[] {
  const metadata = isObject(value.metadata) ? value.metadata : {};
  const text = (each: unknown, otherwise: string) => (typeof each === 'string' && each !== '' ? each : otherwise);
  const context = { namespace: text(metadata.namespace, namespace), name: text(metadata.name, '') };
  return checkSpec(definition, value.spec, { context, unknownFields: 'reject' }).errors;
}

/** Names of the fields that a node may have: those of every option of a union. */
const fieldNames = (node: Field): readonly string[] => (node.type === 'union' ? node.options.flatMap(fieldNames) : [...node.fields.keys()]);

/** Words that may replace the last segment of the path, and whether it is a key that its parent does not have. */
function candidateWords(schema: Field, path: YamlPath) {
  const parent = nodeAt(schema, path.slice(0, -1));
  const last = path.at(-1);
  const fields = parent ? fieldNames(parent) : [];
  const own = parent && last !== undefined ? childNode(parent, last) : undefined;
  const unknownKey = typeof last === 'string' && fields.length > 0 && !fields.includes(last);
  return { unknownKey, fields, values: own?.values ?? [] };
}

type CandidateWords = ReturnType<typeof candidateWords>;

function fixOf(document: YamlDocument, words: CandidateWords, path: YamlPath): TextFix | undefined {
  const at = rangeOfPath(document, path);
  if (at.found.length < path.length || path.length === 0) return undefined;
  const wrong = words.unknownKey ? path.at(-1) : document.document.getIn(path);
  const near = typeof wrong === 'string' ? nearestWord(wrong, words.unknownKey ? words.fields : words.values) : undefined;
  const range = words.unknownKey ? at.key : at.value;
  if (near === undefined || near === wrong || !range) return undefined;
  return { label: `Change to ${near}`, change: { ...range, insert: near } };
}

/** Field errors of a document, in the wording of the server and the shared rules, each at its place: that of an unknown key is the key. */
export function placeErrors(
  { document, schema }: { readonly document: YamlDocument; readonly schema: Field },
  errors: readonly FieldError[],
  as: Pick<TextProblem, 'source' | 'severity'>,
): TextProblem[] {
  return errors.slice(0, FIELDS_SHOWN).map(({ path, message }) => {
    const segments = parsePath(path);
    const words = candidateWords(schema, segments);
    const key = words.unknownKey ? rangeOfPath(document, segments).key : undefined;
    const fix = fixOf(document, words, segments);
    return {
      ...(key ?? markOfPath(document, segments)),
      ...as,
      path,
      message: `${path === '' ? 'This' : path} ${message}`,
      ...(fix && { fix }),
    };
  });
}

function syntaxProblems(document: YamlDocument, length: number): TextProblem[] {
  const at = ([from, to]: readonly [number, number]): TextRange => ({
    from: Math.min(from, length),
    to: Math.min(Math.max(to, from), length),
  });
  const problem = (range: TextRange, message: string, severity: TextProblem['severity']): TextProblem => ({
    ...range,
    message,
    severity,
    path: '',
    source: 'syntax',
  });
  return [
    ...document.document.errors.map((error) => problem(at(error.pos), error.message, 'error')),
    ...document.document.warnings.map((warning) => problem(at(warning.pos), warning.message, 'warning')),
    ...duplicateKeys(document).map(({ key, range }) => problem(range, `The key ${key} occurs more than once; keep one`, 'error')),
  ];
}

/** Schema of a document by the kind it names, or else by the expected kind. */
export function schemaOf(
  document: YamlDocument,
  { known, namespace, kind }: CheckOptions,
): { schema: Field; definition: KindDefinition | undefined } {
  const named = document.document.getIn(['kind']);
  const definition =
    (typeof named === 'string' ? known.kindByName(named) : undefined) ?? (kind === undefined ? undefined : known.kindByName(kind));
  return { definition, schema: envelopeNode({ definition, kinds: known.kinds, namespace }) };
}

/** Errors in the values of one object: its envelope, and its spec by the rules of its kind. */
export function objectErrors(value: Record<string, unknown>, definition: KindDefinition | undefined, options: CheckOptions): FieldError[] {
  const spec = definition ? specErrors(value, definition, options.namespace) : [];
  return [...envelopeErrors(value, definition, options), ...spec];
}

function checkDocument(document: YamlDocument, options: CheckOptions): TextProblem[] {
  const read = valueOf(document);
  const whole = { from: document.from, to: Math.min(document.to, document.from + 1), path: '', source: 'syntax' as const };
  if (!read)
    return [
      { ...whole, severity: 'error', message: 'This cannot be read: its aliases are unknown, contain themselves or expand to too much' },
    ];
  if (read.value === null) return [];
  if (!isObject(read.value))
    return [{ ...whole, severity: 'error', message: 'An object is expected: apiVersion, kind, metadata and spec' }];
  const { definition, schema } = schemaOf(document, options);
  return placeErrors({ document, schema }, objectErrors(read.value, definition, options), { source: 'rules', severity: 'error' });
}

/** Checks every document of a text. Empty documents are skipped. */
export function checkText(text: string, options: CheckOptions): TextCheck {
  const documents = parseYaml(text);
  const problems: TextProblem[] = [];
  for (const document of documents) {
    const syntax = syntaxProblems(document, text.length);
    problems.push(...syntax);
    if (!syntax.some(({ severity }) => severity === 'error')) problems.push(...checkDocument(document, options));
  }
  const clean = !problems.some(({ severity }) => severity === 'error');
  const values = documents.map((document) => valueOf(document)?.value);
  return { problems, documents, values: clean && values.length > 0 && values.every(isObject) ? values : undefined };
}
