// Whether a YAML text nests too deep for its readers, decided by its tokens alone: the library's parser recurses level by level. Pure.
import { Lexer, parseDocument, YAMLParseError, type Document } from 'yaml';

/** A server accepts far less. */
const DEPTH_MAX = 128;
/** Columns before the first token of a line; a level takes one of them at least. */
const INDENT_MAX = 512;

const CLOSING: ReadonlySet<string> = new Set([']', '}']);
const OPENING: ReadonlySet<string> = new Set(['[', '{']);
/** A list or a key that begins on this very line: each is a level. */
const INDICATORS: ReadonlySet<string> = new Set(['-', '?', ':']);
/** Far to the right, or with as many indicators as the maximum number of levels. */
const DEEP_LINE = new RegExp(`^ {${INDENT_MAX}}|^(?:[^\\n?:-]*[-?:]){${DEPTH_MAX}}`, 'm');
const TOO_DEEP = `It is nested deeper than ${DEPTH_MAX} levels`;

/** Substitute for a text that must not be parsed: an empty document with the problem. Undefined for any other text. */
export function bottomlessDocument(text: string): Document.Parsed | undefined {
  const problem = depthProblem(text);
  if (problem === undefined) return undefined;
  const document = parseDocument('');
  document.errors.push(new YAMLParseError([0, Math.min(1, text.length)], 'IMPOSSIBLE', problem));
  return document;
}

/** Recognises most shallow texts without reading tokens: too few brackets, and no unusual line. */
function isShallow(text: string): boolean {
  const brackets = text.match(/[[{]/g)?.length ?? 0;
  return brackets <= DEPTH_MAX && !DEEP_LINE.test(text);
}

function depthProblem(text: string): string | undefined {
  if (isShallow(text)) return undefined;
  let flow = 0;
  let line = 0;
  let atStart = true;
  for (const token of new Lexer().lex(text)) {
    if (token === '\n' || token === '\r\n') {
      [line, atStart] = [0, true];
      continue;
    }
    if (atStart && token.startsWith(' ') && token.length > INDENT_MAX) return `A line begins more than ${INDENT_MAX} columns to the right`;
    atStart = false;
    if (OPENING.has(token)) flow += 1;
    else if (CLOSING.has(token)) flow = Math.max(0, flow - 1);
    else if (flow === 0 && INDICATORS.has(token)) line += 1;
    if (flow > DEPTH_MAX || line > DEPTH_MAX) return TOO_DEEP;
  }
  return undefined;
}
