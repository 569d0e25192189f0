// Chunks of the console's scripts: few files for modules that many screens share, none of which delay the first screen.
import type { Rolldown } from 'vite';

/**
 * Number of lazily loaded screens from which a part is shared by all of them. A lower number would load the pickers of others with the
 * editor.
 */
const SHARED_BY = 8;

/** The first matching group takes a module with its imports. */
export const chunkGroups: Rolldown.CodeSplittingGroup[] = [
  // Each is a few hundred bytes; as separate files they were half of all requests. Those that the shell needs come with it.
  { name: 'shell-icons', test: /node_modules[\\/]lucide-react/, tags: ['$initial'], priority: 5 },
  { name: 'icons', test: /node_modules[\\/]lucide-react/, minShareCount: 2, priority: 4 },
  { name: 'vendor', test: /node_modules/, tags: ['$initial'], priority: 3 },
  { name: 'shell', tags: ['$initial'], priority: 2 },
  // The only parts that the editor shares with most screens: in the chunk of all parts they would load 35 KB of others with the editor.
  { name: 'text-parts', test: /renderer[\\/]ui[\\/](?:UntrustedText|hidden-characters|VisuallyHidden)/, priority: 1 },
  { name: 'parts', test: /renderer[\\/](?:ui|app|live)[\\/]/, minShareCount: SHARED_BY, priority: 0 },
];
