// A JSON array of any length, written page by page as it is read, at the reader's pace. Nothing is cut and nothing is held in memory.
import type { ServerResponse } from 'node:http';
import type { StreamReply } from '../route.ts';

/** A page and the way to the next one; undefined at the end. */
export interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly next: (() => Promise<PageOf<Item>>) | undefined;
}

/** Characters gathered before they are written: few writes for small items, little held for large ones. */
const WRITE_CHARACTERS = 65_536;

/** Resolves when more may be written, or when nobody is left to read it. */
function room(response: ServerResponse): Promise<void> {
  if (!response.writableNeedDrain || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

async function writeAll<Item>(first: PageOf<Item>, response: ServerResponse): Promise<void> {
  let page: PageOf<Item> | undefined = first;
  let text = '[';
  let separator = '';
  while (page !== undefined && !response.destroyed) {
    for (const item of page.items) {
      text += separator + JSON.stringify(item);
      separator = ',';
      if (text.length < WRITE_CHARACTERS) continue;
      response.write(text);
      text = '';
      await room(response);
    }
    page = await page.next?.();
  }
  response.end(`${text}]`);
}

/** The first page is read already, so that a refused request is refused before the head. A failure later cuts the connection: half an array must not look whole. */
export function arrayReply<Item>(first: PageOf<Item>, headers: Readonly<Record<string, string | string[]>> = {}): StreamReply {
  return {
    type: 'stream',
    contentType: 'application/json',
    async write(response) {
      response.writeHead(200, { 'Content-Type': 'application/json', ...headers });
      await writeAll(first, response);
    },
  };
}
