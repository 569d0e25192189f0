// The object that the inspector shows, as the address has it: `?peek=Agent/ops/billing`, with an open tab `…/yaml`. Pure.
import { kindNamed } from '../kinds/kind-table.ts';
import type { ObjectRef } from '../navigation/addresses.ts';

const PEEK_TABS = ['overview', 'yaml', 'relations'] as const;
export type PeekTab = (typeof PEEK_TABS)[number];

export interface Peek extends ObjectRef {
  readonly tab: PeekTab;
}

/** Undefined for text that names no object of a known kind. */
export function parsePeek(text: string): Peek | undefined {
  const [kind = '', namespace = '', name = '', tab, ...rest] = text.split('/');
  if (!kindNamed(kind) || namespace === '' || name === '' || rest.length > 0) return undefined;
  return { kind, namespace, name, tab: PEEK_TABS.find((each) => each === tab) ?? 'overview' };
}

export function peekText({ kind, namespace, name }: ObjectRef, tab: PeekTab = 'overview'): string {
  return [kind, namespace, name, ...(tab === 'overview' ? [] : [tab])].join('/');
}
