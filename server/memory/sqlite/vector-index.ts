// Vectors of the entries of one database: the nearest by their signs, which are held in memory, and of those the nearest exactly.
import { DatabaseProblem } from './database-problem.ts';
import { SignList } from './sign-list.ts';
import { SignSpace } from './sign-space.ts';
import type { Statements } from './statements.ts';

export interface Neighbour {
  readonly id: number;
  /** Cosine of the angle to the searched vector, 0 for angles of 90 degrees and more. */
  readonly score: number;
}

/** Vectors that are compared exactly: enough for short lists, and a multiple for long ones. */
const CANDIDATES_MIN = 512;
const CANDIDATES_PER_RESULT = 8;

/** Rows cost the driver more than their bytes do, so that a page of signs is one row. */
const SIGN_PAGE = `
  SELECT group_concat(id) AS ids, group_concat(hex(bits), '') AS bits
  FROM (SELECT id, bits FROM signs WHERE id > ? ORDER BY id LIMIT 1000)`;

interface SignPage {
  readonly ids: string | null;
  readonly bits: string | null;
}

const NO_SIGNS: SignPage = { ids: null, bits: null };

/** Its changes belong to the transaction of the caller, who calls `forget` when that fails. */
export class VectorIndex {
  readonly #statements: Statements;
  #space: SignSpace | undefined;
  #signs: SignList | undefined;

  constructor(statements: Statements) {
    this.#statements = statements;
    this.forget();
  }

  /** Length of the vectors; undefined before the first one. */
  get dimensions(): number | undefined {
    return this.#space?.dimensions;
  }

  /** Bytes of the signs that are held in memory. */
  get bytes(): number {
    return this.#signs?.bytes ?? 0;
  }

  count(): number {
    return this.#statements.get<{ n: number }>('SELECT count(*) AS n FROM signs')?.n ?? 0;
  }

  /** Drops what is held in memory, and reads again what the database says. */
  forget(): void {
    this.release();
    const known = this.#statements.get<{ value: number }>("SELECT value FROM settings WHERE name = 'dimensions'");
    this.#space = known && new SignSpace(known.value);
  }

  /** Drops the signs; the next search reads them again. */
  release(): void {
    this.#signs = undefined;
  }

  put(id: number, vector: Float32Array): void {
    const space = this.#requireSpace(vector.length);
    const signs = space.signsOf(vector);
    this.#statements.run('INSERT OR REPLACE INTO embeddings (id, whole) VALUES (?, ?)', id, bytesOf(vector));
    this.#statements.run('INSERT OR REPLACE INTO signs (id, bits) VALUES (?, ?)', id, bytesOf(signs));
    this.#signs?.put(id, signs);
  }

  delete(id: number): void {
    if (!this.#space) return;
    this.#statements.run('DELETE FROM embeddings WHERE id = ?', id);
    this.#statements.run('DELETE FROM signs WHERE id = ?', id);
    this.#signs?.delete(id);
  }

  /** Best first. */
  nearest(vector: Float32Array, limit: number): Neighbour[] {
    if (!this.#space) return [];
    const space = this.#requireSpace(vector.length);
    const candidates = this.#held(space).nearest(space.signsOf(vector), Math.max(CANDIDATES_MIN, limit * CANDIDATES_PER_RESULT));
    const length = Math.sqrt(dot(vector, vector));
    return candidates
      .map((id) => ({ id, score: this.#cosine(id, vector, length) }))
      .sort((one, other) => other.score - one.score)
      .slice(0, limit);
  }

  #cosine(id: number, vector: Float32Array, length: number): number {
    const row = this.#statements.get<{ whole: Uint8Array }>('SELECT whole FROM embeddings WHERE id = ?', id);
    if (!row) return 0;
    const other = numbersOf(row.whole);
    // A vector of zeros has no angle.
    const lengths = length * Math.sqrt(dot(other, other));
    return lengths > 0 ? Math.min(1, Math.max(0, dot(vector, other) / lengths)) : 0;
  }

  #held(space: SignSpace): SignList {
    if (this.#signs) return this.#signs;
    const signs = new SignList(space.words, this.count());
    for (let after = 0; ;) {
      const { ids, bits } = this.#statements.get<SignPage>(SIGN_PAGE, after) ?? NO_SIGNS;
      if (ids === null || bits === null) break;
      const added = ids.split(',').map(Number);
      signs.append(added, wordsOf(Buffer.from(bits, 'hex')));
      after = added.at(-1) ?? after;
    }
    return (this.#signs = signs);
  }

  #requireSpace(length: number): SignSpace {
    const space = this.#space ?? this.#create(length);
    if (space.dimensions === length) return space;
    const message = `holds vectors of ${space.dimensions} dimensions, and the embedding model sent ${length}`;
    throw new DatabaseProblem('wrong_dimensions', message);
  }

  #create(dimensions: number): SignSpace {
    this.#statements.run("INSERT INTO settings (name, value) VALUES ('dimensions', ?)", dimensions);
    return (this.#space = new SignSpace(dimensions));
  }
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += one[at]! * other[at]!;
  return sum;
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array | Uint32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
/** Views need a place that is a multiple of 4, which a blob of the driver may not have. */
const aligned = (bytes: Uint8Array): Uint8Array => (bytes.byteOffset % 4 === 0 ? bytes : bytes.slice());

function numbersOf(bytes: Uint8Array): Float32Array {
  const { buffer, byteOffset, byteLength } = aligned(bytes);
  return new Float32Array(buffer, byteOffset, byteLength / 4);
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  const { buffer, byteOffset, byteLength } = aligned(bytes);
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}
