// Commit notices as the text that travels between processes. Pure.
import { isObject } from '@svc/shared/json';
import type { CommitNotice } from '../store.ts';

/** A message holds less than 8000 bytes: https://www.postgresql.org/docs/current/sql-notify.html. The rest is room for the frame. */
const NAMES_BYTES_MAX = 7_000;

type Part = 'queues' | 'signalled' | 'journals';
const PARTS: readonly Part[] = ['queues', 'signalled', 'journals'];

type Message = Partial<Record<Part, string[]>> & { head: number };

/** As few texts as hold everything. A name too long for one is left out: whoever waits for it polls. */
export function splitNotices(notice: CommitNotice): string[] {
  const messages: string[] = [];
  let message: Message = { head: notice.head };
  let bytes = 0;
  const names = PARTS.flatMap((part) =>
    [...notice[part]].map((name) => ({ part, name, size: Buffer.byteLength(JSON.stringify(name)) + 1 })),
  );
  for (const { part, name, size } of names.filter((each) => each.size <= NAMES_BYTES_MAX)) {
    if (bytes + size > NAMES_BYTES_MAX) {
      messages.push(JSON.stringify(message));
      message = { head: notice.head };
      bytes = 0;
    }
    (message[part] ??= []).push(name);
    bytes += size;
  }
  messages.push(JSON.stringify(message));
  return messages;
}

function namesOf(value: unknown): ReadonlySet<string> {
  return new Set(Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []);
}

/** Undefined for a text that is no notice: another program may use the same channel. */
export function parseNotice(text: string): CommitNotice | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || typeof value['head'] !== 'number') return undefined;
  const { head, queues, signalled, journals } = value;
  return { head, queues: namesOf(queues), signalled: namesOf(signalled), journals: namesOf(journals) };
}
