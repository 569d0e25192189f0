// Messages of a run by the branch of the graph that they took. Pure.
import { readJson } from '@svc/shared/json';
import type { MessageEntry } from '@svc/shared/kinds/task/records';

export interface MessageThread {
  readonly branch: string;
  /** Branches it split off from. */
  readonly depth: number;
  readonly messages: readonly MessageEntry[];
}

/** `b2` before `b10`. */
const IN_ORDER = new Intl.Collator('en', { numeric: true });

/** In the order of their start; a branch follows the one it split off from. */
export function threadsOf(messages: readonly MessageEntry[]): MessageThread[] {
  const branches = new Map<string, MessageEntry[]>();
  for (const message of messages) {
    const known = branches.get(message.branch_id);
    if (known) known.push(message);
    else branches.set(message.branch_id, [message]);
  }
  return [...branches]
    .sort(([a], [b]) => IN_ORDER.compare(a, b))
    .map(([branch, all]) => ({ branch, depth: branch.split('.').length - 1, messages: all }));
}

/** Default view of a content. */
export function contentForm(content: string): 'json' | 'markdown' | 'text' {
  const text = content.trimStart();
  if (parsedJson(content) !== undefined) return 'json';
  return /^(#{1,6} |[-*] |\d+\. |```|> )/m.test(text) || /\*\*[^*]+\*\*/.test(text) ? 'markdown' : 'text';
}

const PARSED_MAX_CHARS = 10_000_000;

/** The object or array in the text; undefined for any other text. */
export function parsedJson(content: string): unknown {
  if (content.length > PARSED_MAX_CHARS || !/^\s*[[{]/.test(content)) return undefined;
  return readJson(content);
}
