// How the console's scripts are put together: few files for what many screens share, and nothing of it in the way of the first screen.
import type { Rolldown } from 'vite';

/** From this many lazily loaded screens on, a part is had by all of them at once. Lower, and the editor would bring the pickers of others with it. */
const SHARED_BY = 8;

/** The first group that fits a module takes it, and what it imports. */
export const chunkGroups: Rolldown.CodeSplittingGroup[] = [
  // Each is a few hundred bytes; as files of their own they were half of all requests. Those of the first screen are among them.
  { name: 'icons', test: /node_modules[\\/]lucide-react/, minShareCount: 2, priority: 4 },
  { name: 'vendor', test: /node_modules/, tags: ['$initial'], priority: 3 },
  { name: 'shell', tags: ['$initial'], priority: 2 },
  // The one part that the editor shares with most screens: it alone must not bring all the others along.
  { name: 'untrusted-text', test: /renderer[\\/]ui[\\/](?:UntrustedText|hidden-characters)/, priority: 1 },
  { name: 'parts', test: /renderer[\\/](?:ui|app|live)[\\/]/, minShareCount: SHARED_BY, priority: 0 },
];
