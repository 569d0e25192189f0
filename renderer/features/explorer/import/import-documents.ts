// Documents of an import, and the server's answer to each. Pure.
import { isObject } from '@svc/shared/json';
import type { FieldError } from '@svc/shared/errors';
import { namespaceProblem } from '@svc/shared/resource';
import { isWriteOnly, kindNamed } from '../../../kinds/kind-table.ts';
import { parsePath } from '@svc/shared/path-text';
import { REDACTED, splitDocuments, type PlacedMessage } from '../../../yaml/serialise.ts';
import { markOfPath, parseYaml, type YamlDocument } from '../../../yaml/yaml-paths.ts';
import type { ImportSource } from '../model/sources.ts';

/** Documents of one import that the server accepts. */
export const DOCUMENTS_MAX = 1000;

export interface ImportDocument {
  readonly id: string;
  readonly source: string;
  /** Line of the document's start in the source, from 1. */
  readonly line: number;
  readonly text: string;
  readonly kind: string;
  /** Empty: the one chosen for all. */
  readonly namespace: string;
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** Reason why it cannot be read at all. */
  readonly errors: readonly PlacedMessage[];
  /** Its text, parsed once for all problems of it and of the other items of a list. */
  readonly parsed: () => YamlDocument | undefined;
}

const BEFORE = /^(?:[ \t]*(?:---[ \t]*)?\r?\n)*/;

/** Separators and line ends around the text of a document, which an edit keeps. */
function around(text: string) {
  const before = BEFORE.exec(text)?.[0] ?? '';
  const own = text.slice(before.length).trimEnd();
  return { before, own, after: text.slice(before.length + own.length) };
}

/** The text of a document as a person edits it. */
export function editableText({ text }: ImportDocument): string {
  return around(text).own;
}

/** The sources with another text in the place of one document. */
export function withText(sources: readonly ImportSource[], { id, line, text }: ImportDocument, edited: string): ImportSource[] {
  const { before, after } = around(text);
  return sources.map((source, at) => {
    if (at !== Number(id.split('.')[0])) return source;
    const start = source.text
      .split('\n')
      .slice(0, line - 1)
      .join('\n').length;
    const from = source.text.indexOf(text, start);
    const to = from + text.length;
    return from < 0
      ? source
      : { ...source, text: `${source.text.slice(0, from)}${before}${edited.trim()}${after}${source.text.slice(to)}` };
  });
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const countOf = (text: string): number => documentsOf([{ name: '', text }]).length;

/** Whether an edited text has as many documents as before: documents that are left out are known by their places. */
export const keepsCount = (document: ImportDocument, edited: string): boolean => countOf(edited) === countOf(editableText(document));

/** All documents of all sources, in their order. Lists of objects, as `svcctl get -o json` writes them, count as their items. */
export function documentsOf(sources: readonly ImportSource[]): ImportDocument[] {
  return sources.flatMap(({ name: source, text }, at) =>
    splitDocuments(text).flatMap(({ index, line, text: own, value, errors }) => {
      const parsed = once(() => parseYaml(own)[0]);
      return itemsOf(value).map((body, item): ImportDocument => {
        const metadata = isObject(body?.metadata) ? body.metadata : {};
        return {
          id: `${at}.${index}.${item}`,
          source,
          line,
          text: own,
          kind: textOf(body?.kind),
          namespace: textOf(metadata.namespace),
          name: textOf(metadata.name),
          body: body && withoutServerPart(body),
          errors,
          parsed,
        };
      });
    }),
  );
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

function itemsOf(value: Readonly<Record<string, unknown>> | undefined): (Readonly<Record<string, unknown>> | undefined)[] {
  const items = value && value.metadata === undefined && Array.isArray(value.items) ? (value.items as unknown[]) : undefined;
  return items ? items.filter(isObject) : [value];
}

const WRITTEN_METADATA = ['name', 'namespace', 'labels', 'annotations'];

/** Keeps the fields that a person may write: exports of other tools include server fields, and a version that is not this server's. */
function withoutServerPart({ status, ...body }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const served = status !== undefined || (isObject(body.metadata) && typeof body.metadata.uid === 'string');
  if (!served || !isObject(body.metadata)) return status === undefined ? body : { ...body, status };
  const metadata = Object.fromEntries(Object.entries(body.metadata).filter(([key]) => WRITTEN_METADATA.includes(key)));
  return { ...body, metadata };
}

export type Verdict =
  | {
      readonly state: 'created' | 'configured' | 'unchanged';
      readonly warnings: readonly string[];
      readonly crdManaged: boolean;
      /** References to objects that exist neither on the server nor among the documents: `Agent team/planner`. */
      readonly missing: readonly string[];
      /** The object that the server compared; undefined when there was none of that name. */
      readonly found: { readonly uid: string; readonly resourceVersion: string } | undefined;
    }
  | { readonly state: 'invalid'; readonly problems: readonly PlacedProblem[] };

export interface PlacedProblem {
  readonly path: string;
  readonly message: string;
  /** In the source, from 1. */
  readonly line: number;
}

/** Maps the server's problem at `documents[2].spec.x` to that document. */
export function placeProblem({ path, message }: FieldError, documents: readonly ImportDocument[]) {
  const match = /^documents\[(\d+)\]\.?(.*)$/s.exec(path);
  const document = documents[Number(match?.[1] ?? -1)];
  if (!document) return undefined;
  const own = match?.[2] ?? '';
  return { id: document.id, problem: { path: own, message: inSources(message, documents), line: lineOfPath(document, own) } };
}

/** A message that names another document by its number in the request, with its source line instead. */
function inSources(message: string, documents: readonly ImportDocument[]): string {
  return message.replace(/\bdocuments\[(\d+)\]/g, (number, at: string) => {
    const other = documents[Number(at)];
    return other ? `${other.source}, line ${contentLine(other)},` : number;
  });
}

/** Line of the first content, past separators and comments. */
export function contentLine({ text, line }: ImportDocument): number {
  const before = /^(?:[ \t]*(?:#.*|---[ \t]*)?\r?\n)*/.exec(text)?.[0] ?? '';
  return before.length === text.length ? line : line + before.split('\n').length - 1;
}

/** Line number of a path within the source of a document. */
function lineOfPath({ text, line, parsed }: ImportDocument, path: string): number {
  const document = path === '' ? undefined : parsed();
  if (!document) return line;
  const { from } = markOfPath(document, parsePath(path));
  return line + text.slice(0, from).split('\n').length - 1;
}

/** Problems found without the server: the document cannot be read, or names an unknown kind. */
export function ownProblems(document: ImportDocument): PlacedProblem[] {
  const { errors, body, kind, namespace } = document;
  if (errors.length > 0 || !body) return errors.map((error) => ({ path: '', message: error.message, line: error.line }));
  if (kind === '')
    return [{ path: 'kind', message: 'is missing: name the kind of the object, such as kind: Agent', line: contentLine(document) }];
  if (!kindNamed(kind)) return [{ path: 'kind', message: `"${kind}" is not a kind of this service`, line: lineOfPath(document, 'kind') }];
  const problem = namespace === '' ? undefined : namespaceProblem(namespace);
  return problem === undefined ? [] : [{ path: 'metadata.namespace', message: problem, line: lineOfPath(document, 'metadata.namespace') }];
}

/** A document fit to be shown: values of Secrets are hidden. */
export function maskedBody(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!isWriteOnly(body.kind) || !isObject(body.spec)) return body;
  const hide = (map: unknown) => (isObject(map) ? Object.fromEntries(Object.keys(map).map((key) => [key, REDACTED])) : map);
  const { data, stringData, ...rest } = body.spec;
  const spec = {
    ...rest,
    ...(data !== undefined && { data: hide(data) }),
    ...(stringData !== undefined && { stringData: hide(stringData) }),
  };
  return { ...body, spec };
}
