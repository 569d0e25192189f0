// Splits growing Markdown into blocks: all but the last stay the same while text arrives, so only the last is parsed again. Pure.

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** A line that may belong to the block before a blank line: of a list, a quote, a table or a definition. */
const CONTINUES = /^(?:\s|[-*+>|[]|\d+[.)])/;

/** Concatenated, the blocks are the text. A boundary follows a blank line outside of code. */
export function streamBlocks(text: string): readonly string[] {
  const blocks: string[] = [];
  let from = 0;
  let fence: string | undefined;
  let afterBlank = false;
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at);
    const next = end === -1 ? text.length : end + 1;
    const line = text.slice(at, next);
    if (fence === undefined && afterBlank && line.trim() !== '' && !CONTINUES.test(line)) {
      blocks.push(text.slice(from, at));
      from = at;
    }
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined && fence === undefined) fence = mark;
    else if (mark !== undefined && fence !== undefined && mark.startsWith(fence) && line.trim() === mark) fence = undefined;
    afterBlank = line.trim() === '';
    at = next;
  }
  if (from < text.length) blocks.push(text.slice(from));
  return blocks;
}
