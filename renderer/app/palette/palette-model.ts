// The command palette's modes, and what of a list fits what was written. Pure.

export type PaletteMode = 'search' | 'actions' | 'namespaces' | 'kinds' | 'help';

const MODES: Readonly<Record<string, PaletteMode>> = { '>': 'actions', '@': 'namespaces', '#': 'kinds', '?': 'help' };

export const MODE_HINTS: readonly { readonly prefix: string; readonly label: string }[] = [
  { prefix: '>', label: 'Run an action' },
  { prefix: '@', label: 'Switch namespace' },
  { prefix: '#', label: 'Go to a kind' },
  { prefix: '?', label: 'Help' },
];

/** The first character chooses the mode; the rest is what is looked for. */
export function readPalette(text: string): { readonly mode: PaletteMode; readonly query: string } {
  const mode = MODES[text.charAt(0)];
  return mode ? { mode, query: text.slice(1).trim() } : { mode: 'search', query: text.trim() };
}

/** The score of letters that are all there in order, but not together. */
export const SCATTERED = 2;

/** How well `text` fits: 0 not at all; a beginning beats a word's beginning beats a part beats the letters in order with others between. */
export function fit(text: string, query: string): number {
  const [whole, wanted] = [text.toLowerCase(), query.toLowerCase()];
  if (wanted === '') return 1;
  if (whole.startsWith(wanted)) return 5;
  if (whole.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(wanted))) return 4;
  if (whole.includes(wanted)) return 3;
  let at = 0;
  for (const letter of wanted.replace(/\s+/g, '')) {
    at = whole.indexOf(letter, at) + 1;
    if (at === 0) return 0;
  }
  return SCATTERED;
}

/** Whether a hit of an earlier text may stay while the server looks for this one: Enter opens what stands first. Pure. */
export function staysWhileSearching(name: string, query: string): boolean {
  // `team-a/billing`, `agent:billing`: the name comes last.
  const [wanted = ''] = query.split(/[/:]/).slice(-1);
  return fit(name, wanted) > SCATTERED;
}

/** The items that fit, best first, in their own order among equals. */
export function bestFits<Item>(items: readonly Item[], query: string, textOf: (item: Item) => string): Item[] {
  return items
    .map((item) => ({ item, score: fit(textOf(item), query) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ item }) => item);
}

/** The namespaces there are: those that are pinned first, then those one was in last, then the others. */
export function namespaceOrder(
  known: readonly string[],
  { pinned, recent }: { readonly pinned: readonly string[]; readonly recent: readonly string[] },
): string[] {
  const there = new Set(known);
  return [...new Set([...pinned, ...recent, ...known])].filter((each) => there.has(each));
}
