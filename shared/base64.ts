// Standard base64 (RFC 4648 section 4) as a check on text; runs in browser and Node alike.

const FOREIGN_CHARACTER = /[^A-Za-z0-9+/=]/;
const QUANTUM = 4;
const PADDING_MAX = 2;

/** Whether the text is base64 of at least one byte: standard alphabet, padded, no line breaks. Linear in the length of the text. */
export function isBase64(text: string): boolean {
  if (text === '' || text.length % QUANTUM !== 0 || FOREIGN_CHARACTER.test(text)) return false;
  const padding = text.indexOf('=');
  return padding < 0 || (padding >= text.length - PADDING_MAX && text.endsWith('='));
}
