// Finds characters in untrusted text that hide, reorder or rewrite it for a reader: bidirectional controls, zero-width and invisible
// characters, control codes and terminal escapes. Look-alike letters are out of scope. Pure.

type HiddenKind = 'bidi' | 'zero-width' | 'control' | 'escape' | 'space' | 'tag';

interface TextPiece {
  readonly text: string;
  readonly hidden?: undefined;
}

interface HiddenPiece {
  /** The raw characters in the text. */
  readonly text: string;
  readonly hidden: HiddenKind;
  /** Visible replacement: `RLO`, `ZWSP`, `ESC[31m`, `U+0007`. */
  readonly label: string;
  /** In words: "right-to-left override". */
  readonly meaning: string;
}

export type Piece = TextPiece | HiddenPiece;

const NAMED: Readonly<Record<number, readonly [HiddenKind, string, string]>> = {
  0x00ad: ['zero-width', 'SHY', 'soft hyphen'],
  0x034f: ['zero-width', 'CGJ', 'combining grapheme joiner'],
  0x061c: ['bidi', 'ALM', 'Arabic letter mark'],
  0x115f: ['zero-width', 'HCF', 'Hangul filler'],
  0x1160: ['zero-width', 'HJF', 'Hangul filler'],
  0x17b4: ['zero-width', 'KIVAQ', 'invisible Khmer vowel'],
  0x17b5: ['zero-width', 'KIVAA', 'invisible Khmer vowel'],
  0x180e: ['zero-width', 'MVS', 'Mongolian vowel separator'],
  0x200b: ['zero-width', 'ZWSP', 'zero-width space'],
  0x200c: ['zero-width', 'ZWNJ', 'zero-width non-joiner'],
  0x200d: ['zero-width', 'ZWJ', 'zero-width joiner'],
  0x200e: ['bidi', 'LRM', 'left-to-right mark'],
  0x200f: ['bidi', 'RLM', 'right-to-left mark'],
  0x2028: ['control', 'LSEP', 'line separator'],
  0x2029: ['control', 'PSEP', 'paragraph separator'],
  0x202a: ['bidi', 'LRE', 'left-to-right embedding'],
  0x202b: ['bidi', 'RLE', 'right-to-left embedding'],
  0x202c: ['bidi', 'PDF', 'end of embedding'],
  0x202d: ['bidi', 'LRO', 'left-to-right override'],
  0x202e: ['bidi', 'RLO', 'right-to-left override'],
  0x2060: ['zero-width', 'WJ', 'word joiner'],
  0x2061: ['zero-width', 'FA', 'invisible function application'],
  0x2062: ['zero-width', 'IT', 'invisible times'],
  0x2063: ['zero-width', 'IS', 'invisible separator'],
  0x2064: ['zero-width', 'IP', 'invisible plus'],
  0x2066: ['bidi', 'LRI', 'left-to-right isolate'],
  0x2067: ['bidi', 'RLI', 'right-to-left isolate'],
  0x2068: ['bidi', 'FSI', 'first strong isolate'],
  0x2069: ['bidi', 'PDI', 'end of isolate'],
  0x00a0: ['space', 'NBSP', 'no-break space'],
  0x202f: ['space', 'NNBSP', 'narrow no-break space'],
  0x2800: ['space', 'BRBL', 'blank braille pattern'],
  0x3000: ['space', 'IDSP', 'ideographic space'],
  0x3164: ['zero-width', 'HF', 'Hangul filler'],
  0xfeff: ['zero-width', 'BOM', 'byte order mark'],
  0xffa0: ['zero-width', 'HWHF', 'halfwidth Hangul filler'],
};

const CONTROL_NAMES =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(' ');

/** Escape sequences first (CSI, OSC with its end, two-character), then single characters. */
const HIDDEN =
  // eslint-disable-next-line no-control-regex, no-misleading-character-class -- this expression finds control characters
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b\n]{0,2048}(?:\u0007|\u001b\\)|\u001b[@-Z\\^_=>cNOPX]|\r\n|[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|[\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

const EMOJI = /\p{Extended_Pictographic}/u;

/** Splits text into readable and hidden parts. The joined pieces equal the text; with `max`, its beginning. */
export function piecesOf(text: string, max = Number.POSITIVE_INFINITY): Piece[] {
  const pieces: Piece[] = [];
  let plainFrom = 0;
  for (const match of text.matchAll(HIDDEN)) {
    const piece = describe(match[0], text, match.index);
    if (!piece) continue;
    if (match.index > plainFrom) pieces.push({ text: text.slice(plainFrom, match.index) });
    pieces.push(piece);
    plainFrom = match.index + match[0].length;
    if (pieces.length >= max) return pieces;
  }
  if (plainFrom < text.length) pieces.push({ text: text.slice(plainFrom) });
  return pieces;
}

/** Number of hidden parts in the text. */
export function countHidden(text: string): number {
  return piecesOf(text).filter((piece) => piece.hidden !== undefined).length;
}

function describe(found: string, text: string, at: number): HiddenPiece | undefined {
  if (found === '\r\n') return undefined;
  const code = found.codePointAt(0) ?? 0;
  if (found.length > 1 && (code === 0x1b || code === 0x9b))
    return { text: found, hidden: 'escape', label: escapeLabel(found), meaning: 'terminal escape sequence' };
  if (joinsEmoji(code, text, at)) return undefined;
  const named = NAMED[code];
  if (named) return { text: found, hidden: named[0], label: named[1], meaning: named[2] };
  if (code < 0x20)
    return { text: found, hidden: 'control', label: CONTROL_NAMES[code] ?? hex(code), meaning: `control character ${hex(code)}` };
  if (code >= 0x2000 && code <= 0x200a) return { text: found, hidden: 'space', label: hex(code), meaning: 'unusual space' };
  if (code >= 0xe0000 && code <= 0xe007f) return { text: found, hidden: 'tag', label: tagLabel(code), meaning: 'invisible tag character' };
  if (code >= 0xfe00 && code <= 0xfe0f)
    return { text: found, hidden: 'zero-width', label: `VS${code - 0xfe00 + 1}`, meaning: 'variation selector' };
  return {
    text: found,
    hidden: code >= 0x7f && code <= 0x9f ? 'control' : 'zero-width',
    label: hex(code),
    meaning: `invisible character ${hex(code)}`,
  };
}

/** Joiners and variation selectors belong to the spelling of an emoji; they hide nothing there. */
function joinsEmoji(code: number, text: string, at: number): boolean {
  if (code !== 0x200d && code !== 0xfe0f) return false;
  const before = Array.from(text.slice(Math.max(0, at - 4), at)).filter((each) => each !== '\u200d' && each !== '\ufe0f');
  const last = before.at(-1) ?? '';
  return (
    EMOJI.test(last) || /\p{Emoji_Modifier}/u.test(last) || (code === 0xfe0f && /[#*0-9]/.test(last) && text.charCodeAt(at + 1) === 0x20e3)
  );
}

function tagLabel(code: number): string {
  const letter = code - 0xe0000;
  return letter > 0x20 && letter < 0x7f ? `TAG ${String.fromCharCode(letter)}` : hex(code);
}

function escapeLabel(sequence: string): string {
  const rest = sequence.charCodeAt(0) === 0x9b ? `[${sequence.slice(1)}` : sequence.slice(1);
  const shown = [...rest].map((each) => (each < ' ' || each === '\u007f' ? hex(each.charCodeAt(0)) : each)).join('');
  return `ESC${shown.length > 24 ? `${shown.slice(0, 24)}…` : shown}`;
}

function hex(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
