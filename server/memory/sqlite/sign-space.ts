// Signs of a vector: one bit for each of its numbers, so that vectors with a small angle between them differ in few bits. Pure.

const WORD_BITS = 32;
/** Shorter vectors get further bits, the sides of fixed planes on which they lie. */
const BITS_MIN = 256;

export class SignSpace {
  readonly dimensions: number;
  /** Length of the signs of a vector, in words of 32 bits. */
  readonly words: number;
  readonly #planes: Float32Array;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.words = Math.ceil(Math.max(dimensions, BITS_MIN) / WORD_BITS);
    this.#planes = planes(Math.max(0, BITS_MIN - dimensions), dimensions);
  }

  signsOf(vector: Float32Array): Uint32Array {
    const { dimensions } = this;
    const signs = new Uint32Array(this.words);
    for (let at = 0; at < dimensions; at += 1) if (vector[at]! > 0) setBit(signs, at);
    for (let bit = dimensions, start = 0; start < this.#planes.length; bit += 1, start += dimensions) {
      let side = 0;
      for (let at = 0; at < dimensions; at += 1) side += this.#planes[start + at]! * vector[at]!;
      if (side > 0) setBit(signs, bit);
    }
    return signs;
  }
}

function setBit(signs: Uint32Array, bit: number): void {
  signs[bit >>> 5]! |= 1 << (bit & 31);
}

/** Normals of planes through the origin. Stored signs depend on them: they never change. */
function planes(count: number, dimensions: number): Float32Array {
  let seed = 1;
  const uniform = (): number => {
    // Generator of Park and Miller, exact within the integers of a double.
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  return Float32Array.from({ length: count * dimensions }, normal);
}
