// Names a provider accepts for our tools: at most 64 of letters, digits, `_` and `-`. Both ways, without collisions. Pure but for the hash.
import { createHash } from 'node:crypto';
import type { ModelRequest } from '../engine/ports.ts';

const NAME_MAX = 64;
const HASH_CHARS = 8;

export interface ToolNames {
  toProvider(name: string): string;
  /** A name the provider made up comes back as it is. */
  toOurs(alias: string): string;
}

/** Aliases for the tools of one request: those offered and those its history mentions. Equal sets give equal aliases. */
export function toolNames({ tools, messages }: Pick<ModelRequest, 'tools' | 'messages'>): ToolNames {
  const aliases = new Map<string, string>();
  const names = new Map<string, string>();
  for (const name of inOrder(new Set([...tools.map((tool) => tool.name), ...mentioned(messages)]))) {
    const alias = freeAlias(name, names);
    aliases.set(name, alias);
    names.set(alias, name);
  }
  return { toProvider: (name) => aliases.get(name) ?? safe(name), toOurs: (alias) => names.get(alias) ?? alias };
}

/** Names that need no alias come first, so that they keep theirs. */
function inOrder(names: ReadonlySet<string>): string[] {
  const sorted = [...names].sort();
  return [...sorted.filter((name) => safe(name) === name), ...sorted.filter((name) => safe(name) !== name)];
}

function mentioned(messages: ModelRequest['messages']): string[] {
  return messages.flatMap((message) => {
    if (message.role === 'assistant') return (message.toolCalls ?? []).map((call) => call.name);
    return message.role === 'tool' ? [message.toolName] : [];
  });
}

function freeAlias(name: string, taken: ReadonlyMap<string, string>): string {
  const plain = safe(name);
  if (!taken.has(plain) && name.length <= NAME_MAX) return plain;
  for (let salt = 0; ; salt += 1) {
    const alias = `${plain.slice(0, NAME_MAX - HASH_CHARS - 1)}_${hashOf(name, salt)}`;
    if (!taken.has(alias)) return alias;
  }
}

/** A different salt when a name was chosen to look like another name's alias. */
function hashOf(name: string, salt: number): string {
  const text = salt === 0 ? name : `${name}\u0000${salt}`;
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARS);
}

function safe(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, NAME_MAX) || '_';
}
