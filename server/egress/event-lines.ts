// Makes the bytes of an event stream plain (WHATWG HTML, section 9.2): no byte order mark, lines that end with LF, no comments and no unknown fields. The
// parser waits for the byte behind a CR, searches a whole chunk for each line end of the other kind, and creates an error for each unknown field.

const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';
const UNUSED_LINES = /^(?!(?:data|event|id)(?::|$)|retry: ?\d+$).+\n/gm;
const FIELD = /^(?:data|event|id|retry):/;
const FIELD_CHARS = 6;

/** The same events in fewer bytes. Each chunk is passed on at once, except the first bytes of a line. */
export async function* plainEventLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const lines = new EventLines();
  for await (const chunk of body) {
    const text = lines.take(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1'));
    if (text !== '') yield Buffer.from(text, 'latin1');
  }
}

/** Works on bytes as characters: a chunk may end within a character of UTF-8. */
class EventLines {
  /** Beginning of a line, too short to tell its field. */
  #open = '';
  #isFirst = true;
  #afterCr = false;
  /** The rest of the line that the chunk before ended in. */
  #rest: 'kept' | 'dropped' | undefined;

  take(chunk: string): string {
    const text = this.#open + this.#withLineFeeds(chunk);
    this.#open = '';
    if (this.#rest === undefined) return this.#fromLineStart(text);
    const end = text.indexOf('\n') + 1;
    if (end === 0) return this.#rest === 'kept' ? text : '';
    const head = this.#rest === 'kept' ? text.slice(0, end) : '';
    this.#rest = undefined;
    return head + this.#fromLineStart(text.slice(end));
  }

  #withLineFeeds(chunk: string): string {
    const text = this.#afterCr && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    if (chunk !== '') this.#afterCr = chunk.endsWith('\r');
    return text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text;
  }

  #fromLineStart(given: string): string {
    if (this.#isFirst && given.length < BYTE_ORDER_MARK.length && BYTE_ORDER_MARK.startsWith(given)) {
      this.#open = given;
      return '';
    }
    const text = this.#isFirst && given.startsWith(BYTE_ORDER_MARK) ? given.slice(BYTE_ORDER_MARK.length) : given;
    this.#isFirst = false;
    const end = text.lastIndexOf('\n') + 1;
    const whole = text.slice(0, end).replace(UNUSED_LINES, '');
    const last = text.slice(end);
    if (last.length < FIELD_CHARS) {
      this.#open = last;
      return whole;
    }
    this.#rest = FIELD.test(last) ? 'kept' : 'dropped';
    return this.#rest === 'kept' ? whole + last : whole;
  }
}
