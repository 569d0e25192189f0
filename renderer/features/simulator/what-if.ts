// Effect of an unsaved change on an answer. Pure.
import type { AccessCheckAnswer, AccessVerdict } from '@svc/shared/api/access';
import { isObject } from '@svc/shared/json';
import type { ResourceKey } from '@svc/shared/resource';
import { verdictKinds } from '../../kinds/kind-table.ts';
import type { YamlDiagnostic } from '../../editor/YamlEditor.tsx';
import { samePlace, VERDICT_LOOK } from './check.ts';

export type Documents = readonly Readonly<Record<string, unknown>>[];

/** Reads the text of `describeKey`. */
export function parseRefText(text: string): ResourceKey | undefined {
  const [, kind = '', namespace = '', name = ''] = /^(\S+) ([^/\s]+)\/([^/\s]+)$/.exec(text) ?? [];
  return verdictKinds.includes(kind) ? { kind, namespace, name } : undefined;
}

/** Objects in documents, by name; unnamed ones are left out. */
export function refsOf(documents: Documents, home: string): ResourceKey[] {
  return documents.flatMap(({ kind, metadata }) => {
    if (typeof kind !== 'string' || !isObject(metadata) || typeof metadata.name !== 'string') return [];
    const own = metadata.namespace;
    return [{ kind, namespace: typeof own === 'string' && own !== '' ? own : home, name: metadata.name }];
  });
}

/** Appends a document to a text. */
export const withDocument = (text: string, document: string): string =>
  text.trim() === '' ? document : `${text.trimEnd()}\n---\n${document}`;

const DOCUMENT = /^documents\[(\d+)\]\.?/;

/** Problems that the server reported, at their places in the text. */
export function placesOf(details: readonly { readonly path: string; readonly message: string }[]): YamlDiagnostic[] {
  return details.map(({ path, message }) => ({
    path: path.replace(DOCUMENT, ''),
    message,
    document: Number(DOCUMENT.exec(path)?.[1] ?? 0),
  }));
}

const word = ({ verdict }: AccessVerdict): string => VERDICT_LOOK[verdict].word;

export interface Difference {
  readonly changes: boolean;
  /** One sentence. */
  readonly text: string;
  /** Further changes, a sentence each. */
  readonly more: readonly string[];
}

export function differenceOf(now: AccessCheckAnswer, then: AccessCheckAnswer): Difference {
  const more: string[] = [];
  if (now.model && then.model && now.model.verdict !== then.model.verdict)
    more.push(`The model would go from ${word(now.model)} to ${word(then.model)}.`);
  const [before, after] = [now.token_limit?.tokens, then.token_limit?.tokens];
  if (before !== after) more.push(`The limit of tokens in a run would go from ${before ?? 'none'} to ${after ?? 'none'}.`);
  if (now.verdict !== then.verdict) return { changes: true, text: `The change turns ${word(now)} into ${word(then)}`, more };
  const same = now.message === then.message && samePlace(now.rule, then.rule);
  return { changes: false, text: same ? 'The change leaves this verdict as it is' : `Still ${word(now)}, for another reason`, more };
}

/** Names that documents add to those of a kind in a namespace. */
export function withDrafted(
  names: readonly string[],
  kind: string,
  at: { readonly documents: Documents; readonly home: string },
): string[] {
  const drafted = refsOf(at.documents, at.home).filter((ref) => ref.kind === kind && ref.namespace === at.home);
  return [...new Set([...names, ...drafted.map(({ name }) => name)])];
}
