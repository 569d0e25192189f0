// Drafts: text that is written but not applied, kept in this browser so that a closed tab loses nothing. Never of Secrets.
import { isWriteOnly } from '../kinds/kind-table.ts';
import { personHere } from '../sign-in/use-hello.ts';
import { storageName } from '../ui/link/base-path.ts';
import { clear, createStore, get, update, type UseStore } from 'idb-keyval';

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
  /** The visit of an editor that wrote it: two tabs with one object have a draft each. */
  readonly visit: string;
}

/** Earlier consoles stored the older drafts of an object inside its newest one, without visits. */
type StoredDrafts = readonly Draft[] | (Omit<Draft, 'visit'> & { readonly earlier?: readonly Omit<Draft, 'visit'>[] });

const KEPT_MAX = 5;

function listOf(stored: StoredDrafts | undefined): readonly Draft[] {
  if (stored === undefined || 'length' in stored) return stored ?? [];
  const { earlier = [], ...newest } = stored;
  return [{ ...newest, visit: '' }, ...earlier.map((draft) => ({ ...draft, visit: String(draft.savedAt) }))];
}

const without = (stored: StoredDrafts | undefined, visits: readonly string[]) =>
  listOf(stored).filter(({ visit }) => !visits.includes(visit));

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

/** Drafts of an object, the newest first; none when the browser keeps nothing. Never rejects. */
export async function readDrafts(key: DraftKey): Promise<readonly Draft[]> {
  if (!mayKeep(key)) return [];
  try {
    return listOf(await get<StoredDrafts>(idOf(key), drafts()));
  } catch {
    return [];
  }
}

/**
 * Stores a draft in place of those of its own visit and of `replaced` visits. Resolves to whether it was stored: browsers refuse storage in
 * private windows and when it is full.
 */
export async function keepDraft(key: DraftKey, draft: Draft, replaced: readonly string[] = []): Promise<boolean> {
  if (!mayKeep(key, draft.text)) return false;
  const next = (stored: StoredDrafts | undefined) => [draft, ...without(stored, [draft.visit, ...replaced])].slice(0, KEPT_MAX);
  return update<StoredDrafts>(idOf(key), next, drafts()).then(
    () => true,
    () => false,
  );
}

/** Deletes the drafts of these visits. Drafts of other tabs stay. */
export async function dropDrafts(key: DraftKey, visits: readonly string[]): Promise<void> {
  if (mayKeep(key)) await update<StoredDrafts>(idOf(key), (stored) => without(stored, visits), drafts()).catch(() => undefined);
}

/** Called at sign-out, so that the next person at this browser cannot read them. Never rejects. */
export async function dropAllDrafts(): Promise<void> {
  await clear(drafts()).catch(() => undefined);
}
