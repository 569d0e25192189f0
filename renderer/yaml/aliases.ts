// Aliases that an edit of a document affects: those on its path, and those of a changed anchor. Pure.
import { isAlias, isMap, isSeq, visit, type Document, type Node } from 'yaml';
import type { YamlPath } from './path-text.ts';
import { keyOf, pairIn } from './yaml-paths.ts';

const anchorOf = (node: unknown): string[] => {
  const { anchor } = (node ?? {}) as { readonly anchor?: string };
  return anchor === undefined ? [] : [anchor];
};

function anchorsWithin(node: unknown): string[] {
  const found: string[] = [];
  if (node !== undefined && node !== null) visit(node as Node, { Node: (_, each) => void found.push(...anchorOf(each)) });
  return found;
}

interface AliasFindings {
  /** Anchors whose value the edit changes. */
  readonly anchors: readonly string[];
  /** An alias on the path. */
  readonly through: readonly YamlPath[];
}

function metBy(document: Document, path: YamlPath): AliasFindings {
  const anchors: string[] = [];
  let node: unknown = document.contents;
  for (const [depth, segment] of path.entries()) {
    if (isAlias(node)) return { anchors: [], through: [path.slice(0, depth)] };
    anchors.push(...anchorOf(node));
    node = isSeq(node) && typeof segment === 'number' ? node.items[segment] : pairIn(node, segment)?.value;
  }
  return { anchors: [...anchors, ...anchorsWithin(node)], through: [] };
}

function aliasesOf(node: unknown, anchors: ReadonlySet<string>, path: YamlPath): YamlPath[] {
  if (isAlias(node)) return anchors.has(node.source) ? [path] : [];
  if (isMap(node)) return node.items.flatMap((pair) => aliasesOf(pair.value, anchors, [...path, keyOf(pair)]));
  return isSeq(node) ? node.items.flatMap((item, index) => aliasesOf(item, anchors, [...path, index])) : [];
}

/** Places of the aliases that must be written out so that changes at these places leave all others unchanged. */
export function aliasesInTheWay(document: Document, places: readonly YamlPath[]): readonly YamlPath[] {
  const met = places.map((path) => metBy(document, path));
  const anchors = new Set(met.flatMap((each) => each.anchors));
  const all = [...met.flatMap(({ through }) => through), ...(anchors.size === 0 ? [] : aliasesOf(document.contents, anchors, []))];
  return [...new Map(all.map((path) => [JSON.stringify(path), path])).values()];
}
