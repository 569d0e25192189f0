// Signs of all vectors of a Memory in one block of memory, and the search for those that differ least from given ones.

const CAPACITY_MIN = 1_024;

export class SignList {
  readonly #words: number;
  #signs: Uint32Array;
  #ids: Float64Array;
  #count = 0;
  /** Place of each id. */
  readonly #places = new Map<number, number>();
  /** Reused by every search. */
  #differences = new Uint16Array(0);

  /** `words`: length of the signs of a vector, in words of 32 bits. */
  constructor(words: number, capacity = CAPACITY_MIN) {
    this.#words = words;
    this.#signs = new Uint32Array(Math.max(capacity, CAPACITY_MIN) * words);
    this.#ids = new Float64Array(Math.max(capacity, CAPACITY_MIN));
  }

  get bytes(): number {
    return this.#signs.byteLength + this.#ids.byteLength;
  }

  /** Adds vectors that are not in the list, with their signs one behind the other. */
  append(ids: readonly number[], signs: Uint32Array): void {
    const start = this.#count;
    for (const id of ids) this.#added(id);
    this.#signs.set(signs, start * this.#words);
  }

  put(id: number, signs: Uint32Array): void {
    const place = this.#places.get(id) ?? this.#added(id);
    this.#signs.set(signs, place * this.#words);
  }

  delete(id: number): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    this.#places.delete(id);
    this.#count -= 1;
    // The last one fills the gap.
    if (place === this.#count) return;
    const last = this.#ids[this.#count]!;
    const words = this.#words;
    this.#signs.copyWithin(place * words, this.#count * words, (this.#count + 1) * words);
    this.#ids[place] = last;
    this.#places.set(last, place);
  }

  /** Ids of at most `limit` vectors, in no order. Its cost grows with the number of vectors, not with the limit. */
  nearest(signs: Uint32Array, limit: number): number[] {
    const counts = this.#compare(signs);
    let within = 0;
    let difference = 0;
    for (; difference < counts.length && within + counts[difference]! <= limit; difference += 1) within += counts[difference]!;
    let room = limit - within;
    const found: number[] = [];
    for (let place = 0; place < this.#count; place += 1) {
      const other = this.#differences[place]!;
      if (other > difference || (other === difference && room === 0)) continue;
      if (other === difference) room -= 1;
      found.push(this.#ids[place]!);
    }
    return found;
  }

  /** Fills the differences; returns how many vectors have each. */
  #compare(signs: Uint32Array): Uint32Array {
    const words = this.#words;
    const all = this.#signs;
    const counts = new Uint32Array(words * 32 + 1);
    if (this.#differences.length < this.#count) this.#differences = new Uint16Array(this.#ids.length);
    const differences = this.#differences;
    for (let place = 0, start = 0; place < this.#count; place += 1, start += words) {
      let difference = 0;
      for (let word = 0; word < words; word += 1) difference += bitCount(all[start + word]! ^ signs[word]!);
      differences[place] = difference;
      counts[difference]! += 1;
    }
    return counts;
  }

  #added(id: number): number {
    if (this.#count === this.#ids.length) this.#grow();
    const place = this.#count;
    this.#ids[place] = id;
    this.#places.set(id, place);
    this.#count += 1;
    return place;
  }

  #grow(): void {
    const signs = new Uint32Array(this.#signs.length * 2);
    signs.set(this.#signs);
    this.#signs = signs;
    const ids = new Float64Array(this.#ids.length * 2);
    ids.set(this.#ids);
    this.#ids = ids;
  }
}

/** Population count of a 32-bit word. */
function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
