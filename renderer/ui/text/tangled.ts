// Markdown that would hold the page while it is parsed. Pure.

/** Nesting of quotes and lists beyond any real text: each level costs the parser all of its content. */
const NESTED = /^(?:[ \t]*>){33}|^[ \t]{100,}(?:[-*+]|\d+[.)])[ \t]/m;

/** Marks of emphasis, links and code. The parser compares those of one paragraph with each other. */
const MARKS = /[*_]+|~+|[[\]!<`&]/g;
/** Comparisons that take some tenths of a second. Long documents have a fiftieth of this. */
const COMPARISONS_MAX = 1_000_000;

const LINE_END = /\r\n|\r|\n/;
/** Lines that begin a block whatever is before them. */
const BLOCK_START = /^[ \t]*$|^ {0,3}(?:#{1,6}|[-*+]|1[.)])[ \t]+\S/;
const FENCE_START = /^(?:(`{3,})[^`]*|(~{3,}).*)$/;
const FENCE_END = /^ {0,3}(`{3,}|~{3,})[ \t]*$/;
/** Fences within a block of HTML are text. */
const HTML_START = /^ {0,3}<[a-z/!?]/i;

/** Lines outside of fenced code. */
function* proseOf(text: string): Generator<string> {
  let fence: string | undefined;
  let html = false;
  for (const line of text.split(LINE_END)) {
    if (fence !== undefined) {
      if (FENCE_END.exec(line)?.[1]?.startsWith(fence)) fence = undefined;
      continue;
    }
    html ||= HTML_START.test(line);
    const [, backticks, tildes] = html ? [] : (FENCE_START.exec(line) ?? []);
    fence = backticks ?? tildes;
    if (fence === undefined) yield line;
  }
}

export function isTangled(text: string): boolean {
  if (NESTED.test(text)) return true;
  let comparisons = 0;
  let marks = 0;
  for (const line of proseOf(text)) {
    if (BLOCK_START.test(line)) marks = 0;
    const added = line.match(MARKS)?.length ?? 0;
    comparisons += added * (2 * marks + added);
    marks += added;
    if (comparisons > COMPARISONS_MAX) return true;
  }
  return false;
}
