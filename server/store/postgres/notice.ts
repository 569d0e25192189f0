// Commit notices as texts between processes, on the channel of their listeners. Pure.
import { isObject } from '@svc/shared/json';
import type { Broadcast, CommitNotice } from '../store.ts';

/** A message holds less than 8000 bytes: https://www.postgresql.org/docs/current/sql-notify.html. The rest is room for the frame. */
const NAMES_BYTES_MAX = 7_000;

type Part = 'queues' | 'signalled' | 'journals' | 'events';

/** Notices for workers: work, and signals to their runs. */
export const WORK_CHANNEL = 'svc_work';
/** Readers' channel: the newest change, and journals and event streams that grew. */
export const CHANGES_CHANNEL = 'svc_changes';

/** Broadcasts travel on a channel for each audience. */
export const BROADCAST_CHANNELS: Readonly<Record<Broadcast['audience'], string>> = { everybody: 'svc_calls', readers: 'svc_live' };

/** Undefined for a channel that carries no broadcasts. */
export function broadcastAudience(channel: string): Broadcast['audience'] | undefined {
  if (channel === BROADCAST_CHANNELS.readers) return 'readers';
  return channel === BROADCAST_CHANNELS.everybody ? 'everybody' : undefined;
}

export interface NoticeText {
  readonly channel: string;
  readonly text: string;
}

type Message = Partial<Record<Part, string[]>> & { head?: number };

/** As few texts as hold everything. A name too long for one is left out: its readers poll. */
export function noticeTexts(notice: CommitNotice): NoticeText[] {
  const { head } = notice;
  return [
    ...textsOf(namesOf(notice, ['queues', 'signalled']), {}).map((text) => ({ channel: WORK_CHANNEL, text })),
    ...textsOf(namesOf(notice, ['journals', 'events']), head > 0 ? { head } : {}).map((text) => ({ channel: CHANGES_CHANNEL, text })),
  ];
}

interface Name {
  readonly part: Part;
  readonly name: string;
  readonly size: number;
}

function namesOf(notice: CommitNotice, parts: readonly Part[]): Name[] {
  return parts
    .flatMap((part) => [...notice[part]].map((name) => ({ part, name, size: Buffer.byteLength(JSON.stringify(name)) + 1 })))
    .filter(({ size }) => size <= NAMES_BYTES_MAX);
}

function textsOf(names: readonly Name[], frame: Message): string[] {
  if (names.length === 0 && frame.head === undefined) return [];
  const texts: string[] = [];
  let message: Message = { ...frame };
  let bytes = 0;
  for (const { part, name, size } of names) {
    if (bytes + size > NAMES_BYTES_MAX) {
      texts.push(JSON.stringify(message));
      message = { ...frame };
      bytes = 0;
    }
    (message[part] ??= []).push(name);
    bytes += size;
  }
  return [...texts, JSON.stringify(message)];
}

function readNames(value: unknown): ReadonlySet<string> {
  return new Set(Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []);
}

/** Undefined for a text that is not a notice: another program may use the same channel. */
export function parseNotice(text: string): CommitNotice | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { head, queues, signalled, journals, events } = value;
  return {
    head: typeof head === 'number' ? head : 0,
    queues: readNames(queues),
    signalled: readNames(signalled),
    journals: readNames(journals),
    events: readNames(events),
  };
}
