// The guides of docs/, each a chunk of text that is loaded when it is opened. Their names are paths below docs/ without the ending.
import { loadCode } from '../../ui/load-code.ts';

/** The index of the guides. */
export const INDEX = 'README';

const PLACE = '../../../docs/';
const ENDING = '.md';

/** Decisions about the code are for its developers, and the endpoints are in the API reference of the server. */
const FILES = import.meta.glob<string>(['../../../docs/*.md', '../../../docs/reference/**/*.md', '!../../../docs/reference/api.md'], {
  query: '?raw',
  import: 'default',
});

const fileOf = (guide: string) => FILES[`${PLACE}${guide}${ENDING}`];

export const isGuide = (guide: string): boolean => fileOf(guide) !== undefined;

export interface Guide {
  readonly title: string;
  /** Markdown below the title. */
  readonly text: string;
}

/** Splits the title of a page off, and the note about its origin before it. */
export function readGuide(page: string): Guide {
  const [, title = '', text = ''] = /^(?:<!--[^>]*-->\s*)?# ([^\n]*)\n([\s\S]*)$/.exec(page) ?? ['', '', page];
  return { title, text: text.trim() };
}

/** Null for an unknown guide. Rejects where its chunk cannot be loaded. */
export async function loadGuide(guide: string): Promise<Guide | null> {
  const file = fileOf(guide);
  return file ? readGuide(await loadCode(file)) : null;
}

export interface GuidePlace {
  readonly guide: string;
  /** Id of a heading; empty for the top. */
  readonly at: string;
}

/** Base of the links of guides, which may lead out of it. */
const FOLDER = 'guides:///docs/';

/** Place that a link of a guide leads to, such as `operations.md#ceilings`; undefined where it leads to no guide. */
export function placeOf(href: string, from: string): GuidePlace | undefined {
  const base = `${FOLDER}${from}${ENDING}`;
  if (!URL.canParse(href, base)) return undefined;
  const [path = '', at = ''] = new URL(href, base).href.split('#');
  const guide = path.startsWith(FOLDER) && path.endsWith(ENDING) ? path.slice(FOLDER.length, -ENDING.length) : '';
  return isGuide(guide) ? { guide, at } : undefined;
}

/** Id of a heading, as links of the guides name it. */
export const headingId = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
