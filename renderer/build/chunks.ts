// Chunks of the console's scripts: few files for modules that several screens share, none of which delays the first screen.
import type { Rolldown } from 'vite';

/** Code that most screens never load. Modules that need it share no chunk with modules that do not. */
const LIBRARIES = {
  codemirror: /node_modules[\\/](?:@codemirror|@lezer)[\\/]/,
  cron: /node_modules[\\/]croner[\\/]/,
  diff: /node_modules[\\/]diff[\\/]/,
  form: /renderer[\\/]form[\\/]/,
  graph: /node_modules[\\/](?:@xyflow|@dagrejs|d3-[a-z]+)[\\/]/,
  markdown: /node_modules[\\/](?:micromark|mdast|hast|unified|vfile|remark|property-information)/,
  re2: /node_modules[\\/]re2js[\\/]/,
  table: /node_modules[\\/]@tanstack[\\/]virtual-core[\\/]/,
  toasts: /node_modules[\\/]sonner[\\/]/,
  yaml: /node_modules[\\/]yaml[\\/]/,
  zod: /node_modules[\\/]zod[\\/]/,
};

const libraryOf = (id: string): string | undefined => Object.entries(LIBRARIES).find(([, pattern]) => pattern.test(id))?.[0];

/** The libraries among a module and all that it imports. */
function librariesOf(id: string, context: Rolldown.ChunkingContext): readonly string[] {
  const seen = new Set([id]);
  for (const each of seen) for (const imported of context.getModuleInfo(each)?.importedIds ?? []) seen.add(imported);
  return [...new Set([...seen].flatMap((each) => libraryOf(each) ?? []))].sort();
}

interface SharedChunk {
  readonly level: number;
  readonly name: string;
}

/** The part of the console that a module belongs to, and its level: parts import those of lower levels. */
function partOf(id: string): SharedChunk {
  const [, folder, feature] = /renderer[\\/](yaml|editor|graph|features)[\\/]([^\\/]+)/.exec(id) ?? [];
  if (folder === undefined) return { level: 1, name: 'parts' };
  if (folder === 'features') return { level: 3, name: feature! };
  return { level: 2, name: folder === 'graph' ? 'drawings' : folder };
}

const LEVELS_OF_PARTS = 3;

/** A chunk for each library, and one for the modules of a part that need the same libraries. */
function sharedChunk(id: string, context: Rolldown.ChunkingContext): SharedChunk | undefined {
  // It prepares zod before schemas are made, so it comes with none of them.
  if (id.includes('without-eval')) return undefined;
  const library = libraryOf(id);
  if (library !== undefined && id.includes('node_modules')) return { level: 0, name: library };
  const libraries = librariesOf(id, context);
  const { level, name } = partOf(id);
  return { level: level + LEVELS_OF_PARTS * libraries.length, name: [name, ...libraries].join('-') };
}

const LEVELS = 1 + LEVELS_OF_PARTS * (Object.keys(LIBRARIES).length + 1);

/** Memoised, because each group queries every module. */
const chunks = new Map<string, SharedChunk | undefined>();

const sharedChunks = Array.from({ length: LEVELS }, (_, level): Rolldown.CodeSplittingGroup => ({
  debugName: `shared-${level}`,
  name: (id, context) => {
    if (!chunks.has(id)) chunks.set(id, sharedChunk(id, context));
    const chunk = chunks.get(id);
    return chunk?.level === level ? chunk.name : null;
  },
  minShareCount: 2,
  priority: LEVELS - level,
}));

/** The group of the highest priority takes a module with its imports. A negative priority is taken for a high one. */
export const chunkGroups: Rolldown.CodeSplittingGroup[] = [
  // Each is a few hundred bytes; as separate files they were half of all requests. Those that the shell needs come with it.
  { name: 'shell-icons', test: /node_modules[\\/]lucide-react/, tags: ['$initial'], priority: LEVELS + 4 },
  { name: 'icons', test: /node_modules[\\/]lucide-react/, minShareCount: 2, priority: LEVELS + 3 },
  { name: 'vendor', test: /node_modules/, tags: ['$initial'], priority: LEVELS + 2 },
  { name: 'shell', tags: ['$initial'], priority: LEVELS + 1 },
  ...sharedChunks,
];
