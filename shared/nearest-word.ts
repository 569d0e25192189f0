// The word that a mistyped one most likely means: the one source of every "did you mean". Pure.

/** Unknown words of one request that get a suggestion; the others are only named. */
export const SUGGESTED_MAX = 20;
/** Longer words are not typing mistakes, and comparing them costs. */
const LENGTH_MAX = 64;
const PREFIX_MIN = 3;

/** The known word nearest to a mistyped one, by letters added, left out, changed or swapped, or by its beginning; undefined when none is near. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const typed = simplified(word);
  if (typed === '' || typed.length > LENGTH_MAX) return undefined;
  const most = Math.max(1, Math.floor(typed.length / 3));
  let best: { each: string; far: number } | undefined;
  for (const each of known) {
    const plain = simplified(each);
    const begins = typed.length >= PREFIX_MIN && plain.startsWith(typed);
    if (!begins && Math.abs(plain.length - typed.length) > most) continue;
    const far = begins ? Math.min(most, plain.length - typed.length) : distance(typed, plain);
    if (far <= most && far < (best?.far ?? Number.POSITIVE_INFINITY)) best = { each, far };
  }
  return best?.each;
}

/** `; did you mean "prompt"?` to end a sentence with, or nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const near = nearestWord(word, known);
  return near === undefined || near === word ? '' : `; did you mean "${near}"?`;
}

/** Case and word marks aside, in which most mistakes are. */
function simplified(word: string): string {
  return word.toLowerCase().replace(/[-_ ]/g, '');
}

function distance(a: string, b: string): number {
  let above: number[] = [];
  let before = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const now = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const costs = [(before[column] ?? 0) + 1, (now[column - 1] ?? 0) + 1, (before[column - 1] ?? 0) + (same ? 0 : 1)];
      if (swapped) costs.push((above[column - 2] ?? 0) + 1);
      now.push(Math.min(...costs));
    }
    above = before;
    before = now;
  }
  return before[b.length] ?? 0;
}
