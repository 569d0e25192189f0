// JSON arrays of any length, written page by page as they are read, at the reader's pace. Nothing is cut and nothing is held in memory.
import type { ServerResponse } from 'node:http';
import { writeInPieces } from '../outflow/write.ts';
import type { StreamReply } from '../route.ts';

/** A page and the way to the next one; undefined at the end. */
export interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly next: (() => Promise<PageOf<Item>>) | undefined;
}

/** Text around an array; `close` is called when its last item is known. */
export interface Frame {
  readonly open: string;
  readonly close: () => string;
}

const ARRAY: Frame = { open: '[', close: () => ']' };

/** Characters gathered before they are written: few writes for small items, little held for large ones. */
const WRITE_CHARACTERS = 65_536;

/** The first page, until it is written: an answer whose reader has stopped reading holds no items. */
interface Unwritten<Item> {
  page: PageOf<Item> | undefined;
}

/** Text that has not been written, without its end. */
interface PendingText {
  text: string;
  separator: string;
}

/** Adds the items of a page to `gathered`, and returns what is to be written now. The page is dropped. */
function takeItems<Item>(unwritten: Unwritten<Item>, gathered: PendingText): Buffer[] {
  const bytes: Buffer[] = [];
  for (const item of unwritten.page?.items ?? []) {
    const json = JSON.stringify(item);
    gathered.text += gathered.separator;
    gathered.separator = ',';
    if (json.length < WRITE_CHARACTERS) gathered.text += json;
    else {
      // Encoded by itself: a text that it was added to would be a second copy.
      bytes.push(Buffer.from(gathered.text), Buffer.from(json));
      gathered.text = '';
    }
  }
  unwritten.page = undefined;
  if (gathered.text.length < WRITE_CHARACTERS) return bytes;
  bytes.push(Buffer.from(gathered.text));
  gathered.text = '';
  return bytes;
}

/** An array and the text around it. */
export interface Part {
  readonly first: PageOf<unknown>;
  readonly frame: Frame;
}

interface UnwrittenPart {
  readonly unwritten: Unwritten<unknown>;
  readonly frame: Frame;
}

interface Reader {
  readonly response: ServerResponse;
  readonly stillAllowed: () => Promise<unknown>;
}

async function writeAll(parts: readonly UnwrittenPart[], { response, stillAllowed }: Reader): Promise<void> {
  let before = '';
  for (const { unwritten, frame } of parts) {
    const gathered: PendingText = { text: before + frame.open, separator: '' };
    while (unwritten.page !== undefined && !response.destroyed) {
      const { next } = unwritten.page;
      // A suspended function keeps its variables: none of them holds an item while the client does not read.
      for (const bytes of takeItems(unwritten, gathered)) await writeInPieces(response, bytes);
      if (response.destroyed || next === undefined) continue;
      await stillAllowed();
      if (!response.destroyed) unwritten.page = await next();
    }
    before = gathered.text + frame.close();
  }
  response.end(before);
}

/** The first page is read already, so that a refused request is refused before the head. A failure later cuts the connection: half an array must not look whole. */
export function arrayReply<Item>(
  first: PageOf<Item>,
  headers: Readonly<Record<string, string | string[]>> = {},
  frame: Frame = ARRAY,
): StreamReply {
  return arraysReply([{ first, frame }], headers);
}

/** The same for several arrays, one behind the other. */
export function arraysReply(parts: readonly Part[], headers: Readonly<Record<string, string | string[]>> = {}): StreamReply {
  const all = parts.map(({ first, frame }) => ({ unwritten: { page: first }, frame }));
  return {
    type: 'stream',
    contentType: 'application/json',
    async write(response, stillAllowed = () => Promise.resolve()) {
      response.writeHead(200, { 'Content-Type': 'application/json', ...headers });
      await writeAll(all, { response, stillAllowed });
    },
  };
}
