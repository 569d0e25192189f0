// Words of texts and of searches for them, alike on the server and in the console, and the places in a text where a search is found. Pure.
// The console's first screen loads this: it imports no schema.
import { textStart } from './text-start.ts';

/** Characters of one text that are searched; text after them is not found. */
export const SEARCHED_CHARS_MAX = 16_384;
/** Different words of one text that are searched. */
export const SEARCHED_WORDS_MAX = 1_000;
export const SEARCH_CHARS_MAX = 256;
export const SEARCH_WORDS_MAX = 32;
/** A longer word is cut, in texts and in searches alike. */
const WORD_CHARS_MAX = 64;

export interface SearchWord {
  /** Letters and digits alone, folded: nothing in it ends a quoted string of a query language. */
  readonly text: string;
  /** It is also found as the beginning of a longer word. */
  readonly begins: boolean;
}

const WORD = /[\p{L}\p{N}\p{M}\p{Cf}]+/gu;
const PLAIN = /^[A-Za-z0-9]+$/;
/** Scripts that put no spaces between words. */
const UNSPACED = '[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}]';
const HAS_UNSPACED = new RegExp(UNSPACED, 'u');
const RUNS = new RegExp(`${UNSPACED}+|(?:(?!${UNSPACED}).)+`, 'gsu');
/** Accents of Latin, Greek and Cyrillic letters, and characters without a shape. */
const IGNORED = /[\u0300-\u036f\p{Cf}]/gu;
const BETWEEN = /[^\p{L}\p{N}\p{M}]+/u;

/** A stretch of a text that is one word, or several characters of a script without spaces. */
interface Run {
  readonly start: number;
  readonly text: string;
  readonly unspaced: boolean;
}

function* runsOf(text: string): Generator<Run> {
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (PLAIN.test(word) || !HAS_UNSPACED.test(word)) {
      yield { start: index, text: word, unspaced: false };
      continue;
    }
    for (const run of word.matchAll(RUNS)) yield { start: index + run.index, text: run[0], unspaced: HAS_UNSPACED.test(run[0]) };
  }
}

/** Compatible forms, case and accents are alike; empty where nothing is left. */
function fold(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  return text.normalize('NFKD').toLowerCase().replace(IGNORED, '').normalize('NFKC');
}

/** A compatible form may bring a separator with it, such as that of a fraction. */
function foldedWords(run: Run): string[] {
  const words = PLAIN.test(run.text) ? [run.text.toLowerCase()] : fold(run.text).split(BETWEEN);
  return words.filter((word) => word !== '').map((word) => textStart(word, WORD_CHARS_MAX));
}

const charactersOf = (run: Run): string[] => [...fold(run.text)].filter((character) => !BETWEEN.test(character));

function pairsOf(characters: readonly string[]): string[] {
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** Different words of a text, of scripts without spaces each character and each pair, in the order in which they first appear. */
export function wordsOf(text: string): string[] {
  const found = new Set<string>();
  for (const run of runsOf(text.slice(0, SEARCHED_CHARS_MAX))) {
    const characters = run.unspaced ? charactersOf(run) : [];
    for (const word of run.unspaced ? [...characters, ...pairsOf(characters)] : foldedWords(run)) {
      if (found.size >= SEARCHED_WORDS_MAX) return [...found];
      found.add(word);
    }
  }
  return [...found];
}

/** Words that a text must have, in any order and place; the last one may be the beginning of a word. Only for a text without a problem. */
export function searchWords(text: string): SearchWord[] {
  const found = new Map<string, boolean>();
  for (const run of runsOf(text.slice(0, SEARCH_CHARS_MAX))) {
    const characters = run.unspaced ? charactersOf(run) : [];
    const words = run.unspaced ? (characters.length > 1 ? pairsOf(characters) : characters) : foldedWords(run);
    for (const word of words) if (!found.has(word)) found.set(word, false);
  }
  const last = [...found.keys()].at(-1);
  return [...found.keys()].map((word) => ({ text: word, begins: word === last }));
}

/** Reason why nothing can be searched for by this text; completes "q …". */
export function searchProblem(text: string): string | undefined {
  if (text.length > SEARCH_CHARS_MAX) return `must be at most ${SEARCH_CHARS_MAX} characters`;
  const { length } = searchWords(text);
  if (length === 0) return 'must hold a letter or a digit';
  return length > SEARCH_WORDS_MAX ? `must be at most ${SEARCH_WORDS_MAX} words` : undefined;
}

/** Whether the texts together have all the words: the rule of the server, for one object. */
export function matchesSearch(texts: Readonly<Record<string, string>>, words: readonly SearchWord[]): boolean {
  const found = new Set(Object.values(texts).flatMap(wordsOf));
  return words.every(({ text, begins }) => found.has(text) || (begins && [...found].some((word) => word.startsWith(text))));
}

/** A place in a text: from this character, before that one. */
export interface Mark {
  readonly start: number;
  readonly end: number;
}

interface Found extends Mark {
  readonly words: readonly string[];
}

const isFound = (words: readonly SearchWord[], candidate: string): readonly string[] =>
  words.filter(({ text, begins }) => (begins ? candidate.startsWith(text) : candidate === text)).map(({ text }) => text);

function foundInRun(words: readonly SearchWord[], run: Run): Found[] {
  if (!run.unspaced) {
    const found = foldedWords(run).flatMap((word) => isFound(words, word));
    return found.length > 0 ? [{ start: run.start, end: run.start + run.text.length, words: found }] : [];
  }
  const found: Found[] = [];
  const wanted = new Set(words.map(({ text }) => text));
  let [before, beforeAt] = ['', 0];
  let at = run.start;
  for (const character of run.text) {
    const folded = fold(character);
    const end = at + character.length;
    if (wanted.has(folded)) found.push({ start: at, end, words: [folded] });
    else if (before !== '' && wanted.has(before + folded)) found.push({ start: beforeAt, end, words: [before + folded] });
    if (folded !== '') [before, beforeAt] = [folded, at];
    at = end;
  }
  return found;
}

function foundIn(text: string, words: readonly SearchWord[]): Found[] {
  return [...runsOf(text.slice(0, SEARCHED_CHARS_MAX))].flatMap((run) => foundInRun(words, run));
}

/** A stretch of a snippet. */
export interface SnippetPart {
  readonly text: string;
  readonly marked: boolean;
}

/** The part of one of the texts where most words are found. */
export interface Snippet {
  /** Name of the text. */
  readonly of: string;
  /** In their order; the first or the last ends in an ellipsis where text is left out. */
  readonly parts: readonly SnippetPart[];
}

const SNIPPET_CHARS = 180;
/** Share of a snippet before the first match. */
const BEFORE_SHARE = 0.25;

/** Undefined where no word is found. Of texts with equally many words the first one is taken. */
export function snippetOf(
  texts: Readonly<Record<string, string>>,
  words: readonly SearchWord[],
  chars: number = SNIPPET_CHARS,
): Snippet | undefined {
  let best: { readonly of: string; readonly found: readonly Found[]; readonly score: number } | undefined;
  for (const [of, text] of Object.entries(texts)) {
    const found = foundIn(text, words);
    const score = new Set(found.flatMap((each) => each.words)).size;
    if (score > (best?.score ?? 0)) best = { of, found, score };
  }
  const text = best && texts[best.of];
  if (!best || text === undefined) return undefined;
  return { of: best.of, parts: partsOf(text, best.found, chars) };
}

function partsOf(text: string, found: readonly Mark[], chars: number): SnippetPart[] {
  const start = wholeCharacter(text, Math.max(0, (found[0]?.start ?? 0) - Math.floor(chars * BEFORE_SHARE)));
  const end = wholeCharacter(text, Math.min(text.length, start + chars));
  const parts: SnippetPart[] = [];
  const add = (from: number, to: number, marked: boolean) => {
    if (to > from) parts.push({ text: text.slice(from, to), marked });
  };
  if (start > 0) parts.push({ text: '…', marked: false });
  let at = start;
  for (const mark of found) {
    if (mark.start >= end) break;
    add(at, Math.max(at, mark.start), false);
    add(Math.max(at, mark.start), Math.min(mark.end, end), true);
    at = Math.max(at, Math.min(mark.end, end));
  }
  add(at, end, false);
  if (end < text.length) parts.push({ text: '…', marked: false });
  return parts;
}

const LOW_SURROGATE = /[\udc00-\udfff]/;

/** The index, or the one before it where it would divide a pair of surrogates. */
function wholeCharacter(text: string, index: number): number {
  return index > 0 && index < text.length && LOW_SURROGATE.test(text.charAt(index)) ? index - 1 : index;
}
