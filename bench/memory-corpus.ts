// Entries for the benchmark of Memories: texts of the words of our docs, each as often as there, and vectors in clusters. Repeatable.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const DIMENSIONS = 384;
const WORDS_PER_ENTRY = 60;
/** Share of words that few entries hold, such as names and numbers. */
const RARE_SHARE = 0.03;
const RARE_WORDS = 50_000;
const CLUSTERS = 1_000;
const SPREAD = 0.6;

export interface Corpus {
  text(): string;
  vector(): Float32Array;
  /** Some words of a text, as somebody would search for it. */
  wordsOf(text: string): string;
  /** A vector near another one. */
  near(vector: Float32Array): Float32Array;
  /** A whole number from 0 on, less than the end. */
  below(end: number): number;
}

export function createCorpus(): Corpus {
  let seed = 1;
  // Generator of Park and Miller: the same entries in every run.
  const uniform = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const below = (end: number): number => Math.floor(uniform() * end);
  const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const words = docsWords();
  const word = (): string => (uniform() < RARE_SHARE ? `x${below(RARE_WORDS)}` : words[below(words.length)]!);
  const centres = Array.from({ length: CLUSTERS }, () => Float32Array.from({ length: DIMENSIONS }, normal));
  const near = (vector: Float32Array): Float32Array => vector.map((value) => value + SPREAD * normal());
  return {
    text: () => Array.from({ length: WORDS_PER_ENTRY }, word).join(' '),
    vector: () => near(centres[below(CLUSTERS)]!),
    wordsOf(text) {
      const all = text.split(' ');
      return Array.from({ length: 1 + below(4) }, () => all[below(all.length)]).join(' ');
    },
    near,
    below,
  };
}

function docsWords(): string[] {
  const docs = join(import.meta.dirname, '..', 'docs');
  const files = readdirSync(docs).filter((name) => name.endsWith('.md'));
  return files.flatMap(
    (name) =>
      readFileSync(join(docs, name), 'utf8')
        .toLowerCase()
        .match(/[a-z]{2,}/g) ?? [],
  );
}
