// Drafts: text that is written but not applied, kept in this browser so that a closed tab loses nothing. Never of Secrets.
import { isWriteOnly } from '../kinds/kind-table.ts';
import { personHere } from '../sign-in/use-hello.ts';
import { storageName } from '../ui/link/base-path.ts';
import { clear, createStore, del, get, set, type UseStore } from 'idb-keyval';

export interface DraftKey {
  readonly kind: string;
  readonly namespace: string;
  /** Absent for an object that does not exist yet. */
  readonly name?: string | undefined;
}

export interface Draft {
  readonly text: string;
  /** The object's YAML that the draft began from; empty for a new object. */
  readonly baseText: string;
  /** ms since 1970, by this machine's clock. */
  readonly savedAt: number;
  /** Older drafts that nobody restored or discarded, the newest first. */
  readonly earlier?: readonly Draft[];
}

const EARLIER_MAX = 4;

/** Inserts a draft in front of those that still wait for a decision. */
export function before(draft: Draft, waiting: Draft | undefined): Draft {
  if (!waiting) return draft;
  const { earlier = [], ...newest } = waiting;
  return { ...draft, earlier: [newest, ...earlier].slice(0, EARLIER_MAX) };
}

/** Waiting drafts without the newest. */
export function withoutNewest({ earlier = [] }: Draft): Draft | undefined {
  const [newest, ...rest] = earlier;
  return newest && { ...newest, ...(rest.length > 0 && { earlier: rest }) };
}

let store: UseStore | undefined;

const drafts = () => (store ??= createStore(storageName('console-drafts'), 'drafts'));
/** Each person has drafts of their own: a sign-in may end without a sign-out, and another person may sign in. */
const idOf = ({ kind, namespace, name }: DraftKey) => JSON.stringify([personHere(), kind, namespace, name ?? null]);

const SECRET_TEXT = /^[ \t]*(?:["']?kind["']?[ \t]*:[ \t]*["']?Secret\b|["']?stringData["']?[ \t]*:)/m;

/**
 * Drafts of Secrets are not kept: a browser's storage is not a place for their values. The same holds for a text that contains a Secret
 * although another object was meant.
 */
function mayKeep({ kind }: DraftKey, text = ''): boolean {
  return !isWriteOnly(kind) && !SECRET_TEXT.test(text);
}

/** The draft of an object; undefined when there is none or the browser keeps nothing. Never rejects. */
export async function readDraft(key: DraftKey): Promise<Draft | undefined> {
  if (!mayKeep(key)) return undefined;
  return get<Draft>(idOf(key), drafts()).catch(() => undefined);
}

/** Whether the draft was stored: browsers refuse storage in private windows and when it is full. */
export async function keepDraft(key: DraftKey, draft: Draft): Promise<boolean> {
  if (!mayKeep(key, draft.text)) return false;
  return set(idOf(key), draft, drafts()).then(
    () => true,
    () => false,
  );
}

export async function dropDraft(key: DraftKey): Promise<void> {
  if (mayKeep(key)) await del(idOf(key), drafts()).catch(() => undefined);
}

/** Called at sign-out, so that the next person at this browser cannot read them. Never rejects. */
export async function dropAllDrafts(): Promise<void> {
  await clear(drafts()).catch(() => undefined);
}
