// Fallback for edits that local changes cannot express: the library rewrites the document. Comments and order stay, layout may not.
import { isAlias, isCollection, isScalar, isSeq, parseDocument, visit, type Document, type Node, type Scalar } from 'yaml';
import { wrapped, type DocumentEdit } from './edit-value.ts';
import type { YamlPath } from './path-text.ts';
import { nodeOfPath, pairIn, resolved, type YamlDocument } from './yaml-paths.ts';

/** A copy of an alias's value, in its place, so that an edit of one does not change the other. */
function copyOf(alias: unknown, document: Document): Node | undefined {
  const source = resolved(alias, document) as Node | undefined;
  const copy = source?.clone() as (Node & { anchor?: string }) | undefined;
  if (!copy) return undefined;
  visit(copy, { Node: (_, node) => void delete (node as { anchor?: string }).anchor });
  return copy;
}

function detachAliases(document: Document, path: YamlPath): void {
  for (let depth = 1; depth <= path.length; depth += 1) {
    const at = path.slice(0, depth);
    const node = document.getIn(at, true);
    const copy = isAlias(node) ? copyOf(node, document) : undefined;
    if (copy) document.setIn(at, copy);
  }
}

/** Before a node is removed, aliases to anchors in it become copies. */
function keepReferred(document: Document, path: YamlPath): void {
  const node = document.getIn(path, true) as Node | undefined;
  const anchors = new Set<string>();
  if (!node) return;
  visit(node, {
    Node: (_, each) =>
      void ((each as { anchor?: string }).anchor !== undefined && anchors.add(String((each as { anchor?: string }).anchor))),
  });
  if (anchors.size > 0) visit(document, { Alias: (_, alias) => (anchors.has(alias.source) ? copyOf(alias, document) : undefined) });
}

function setNode(document: Document, path: YamlPath, value: unknown): void {
  const node = document.getIn(path, true);
  if (isScalar(node) && (typeof value !== 'object' || value === null)) {
    const scalar = node as Scalar & { format?: string; minFractionDigits?: number; source?: string };
    delete scalar.format;
    delete scalar.minFractionDigits;
    delete scalar.source;
    if (typeof value !== 'string' || typeof scalar.value !== 'string') delete scalar.type;
    scalar.value = value;
    return;
  }
  if (path.length === 0 || !isCollection(document.contents)) {
    document.contents = document.createNode(wrapped(path, value));
    return;
  }
  const { node: parent, depth } = nodeOfPath(document, path);
  // An empty value on the path cannot hold a key.
  if (depth > 0 && depth < path.length && !isCollection(parent))
    document.setIn(path.slice(0, depth), document.createNode(wrapped(path.slice(depth), value)));
  else document.setIn(path, document.createNode(value));
}

/** Makes the edit in a document of the library. Comments and order stay; layout may not. */
function editDocument(document: Document, edit: DocumentEdit): void {
  const { path } = edit;
  const held = edit.op === 'delete' || edit.op === 'rename' ? path.slice(0, -1) : path;
  detachAliases(document, held);
  if (edit.op === 'delete') {
    keepReferred(document, path);
    document.deleteIn(path);
  } else if (edit.op === 'rename') {
    const pair = pairIn(path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true), path.at(-1) ?? '');
    if (pair)
      pair.key = isScalar(pair.key) ? Object.assign(pair.key, { value: edit.key, source: undefined }) : document.createNode(edit.key);
  } else if (edit.op === 'insert') {
    const list = document.getIn(path, true);
    if (isSeq(list)) list.items.splice(edit.index, 0, document.createNode(edit.value));
    else setNode(document, path, [edit.value]);
  } else {
    keepReferred(document, path);
    setNode(document, path, edit.value);
  }
}

/** Turns keys into text, as paths have them. The library distinguishes `1` from `"1"`, objects do not. */
function textKeys(document: Document): void {
  visit(document, {
    Pair: (_, { key }) => {
      if (isScalar(key) && typeof key.value !== 'string') key.value = String(key.value);
    },
  });
}

/** The document's own text, rewritten by the library. */
export function rewritten(text: string, at: YamlDocument, edits: readonly DocumentEdit[]): string {
  const document = parseDocument(text.slice(at.from, at.to), { uniqueKeys: false, version: '1.2' });
  textKeys(document);
  for (const edit of edits) editDocument(document, edit);
  const list = /(^|\n)( *)[^\s#-][^\n]*:[^\S\n]*\n\2- /.test(text);
  const written = document.toString({ lineWidth: 0, indentSeq: !list, flowCollectionPadding: /\{ /.test(text) || !/\{\S/.test(text) });
  return text.slice(0, at.from) + written + text.slice(at.to);
}
