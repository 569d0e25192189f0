// Blueprints that ship with the service, as samples to start from. Each is a chunk of its own, loaded on demand.
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Template } from './model/templates.ts';

const FILES = import.meta.glob<string>('../../../resources/blueprints/*/*.yaml', { query: '?raw', import: 'default' });

/** A template with the name of its folder as id and the first line of its comment as summary. */
export interface Blueprint extends Template {
  readonly kinds: readonly string[];
}

const ACRONYMS: Readonly<Record<string, string>> = { a2a: 'A2A', mcp: 'MCP' };

/** Title and description in a blueprint's text. Pure. */
function readBlueprint(id: string, text: string): Blueprint {
  const words = id.replace(/\w+/g, (word) => ACRONYMS[word] ?? word).replaceAll('-', ' ');
  const kinds = [...text.matchAll(/^kind:\s*(\w+)/gm)].map((match) => match[1] ?? '');
  return {
    id,
    title: words.charAt(0).toUpperCase() + words.slice(1),
    summary: /^#\s*(.+)$/m.exec(text)?.[1] ?? '',
    kinds: [...new Set(kinds)],
    text,
  };
}

async function loadBlueprints(): Promise<readonly Blueprint[]> {
  const folders = new Map<string, (() => Promise<string>)[]>();
  for (const [path, load] of Object.entries(FILES)) {
    const id = path.split('/').at(-2) ?? path;
    folders.set(id, [...(folders.get(id) ?? []), load]);
  }
  const read = async ([id, loads]: [string, (() => Promise<string>)[]]) => {
    const texts = await Promise.all(loads.map((load) => load()));
    return readBlueprint(id, texts.join('\n---\n'));
  };
  const all = await Promise.all([...folders].map(read));
  // The smallest first: it is the best one to learn from.
  return all.sort((a, b) => a.text.length - b.text.length);
}

export const blueprintsQuery = queryOptions({
  queryKey: ['blueprints'],
  queryFn: loadBlueprints,
  refetchInterval: false,
  staleTime: 'static',
});

/** Blueprints that contain an object of the kind; none until they are loaded. */
export function useBlueprintsWith(kind: string): readonly Blueprint[] {
  const { data } = useQuery(blueprintsQuery);
  return (data ?? []).filter(({ kinds }) => kinds.includes(kind));
}
