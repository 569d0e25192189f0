// Names for objects the user did not name.
import { randomBytes } from 'node:crypto';

const ALPHABET = '23456789abcdefghijkmnpqrstuvwxyz';
const SUFFIX_LENGTH = 6;
const NAME_MAX = 253;

/** `<base>-<6 random characters>`; the alphabet leaves out what is easily misread. */
export function generatedName(base: string): string {
  const suffix = [...randomBytes(SUFFIX_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  const stem = base.slice(0, NAME_MAX - SUFFIX_LENGTH - 1).replace(/[^A-Za-z0-9]+$/, '');
  return `${stem}-${suffix}`;
}
