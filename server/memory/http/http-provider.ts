// Provider http: entries behind an external adapter, by POST of JSON to its paths. The adapter searches in its own way; its answers are checked, never trusted.
import { trimEnd } from '@svc/shared/trim-end';
import type { Clock } from '../../clock.ts';
import { withDeadline } from '../../egress/deadline.ts';
import type { Egress, EgressResponse } from '../../egress/egress.ts';
import { isSuccess, statusVerdict } from '../../egress/http-status.ts';
import { redact } from '../../egress/redact.ts';
import { readStart, readText, retryAfterMs } from '../../egress/response.ts';
import { CallError, type CallErrorCode } from '../../engine/ports.ts';
import type { DialRules } from '../../tools/queue/dial.ts';
import { memoryTitle, type Entry, type MemoryBackend, type MemoryProvider, type MemoryTarget } from '../backend.ts';
import { replacedSegments } from '../chunks.ts';
import { answerReader, type AnswerReader } from './answers.ts';

export interface HttpProviderOptions extends DialRules {
  readonly egress: Egress;
  readonly clock: Clock;
}

const REQUEST_MAX_MS = 15_000;
const CHECK_EVERY_MS = 10_000;
/** A page of 100 of the largest values, with some room for what JSON adds. */
const ANSWER_MAX_BYTES = 32 * 1024 * 1024;
const QUOTE_MAX_BYTES = 4 * 1024;
const QUOTE_MAX_CHARS = 300;
const PAGE = 500;
/** Requests for one write. */
const AT_ONCE = 8;
/** Keys below one prefix that are read for a call. */
const KEYS_MAX = 100_000;

/** Statuses by which an adapter refuses an entry. */
const REFUSES_ENTRY: ReadonlySet<number> = new Set([400, 413, 422]);
const FULL = 507;

export function createHttpProvider(options: HttpProviderOptions): MemoryProvider {
  const traits = { usesVectors: false, remote: true, checkEveryMs: CHECK_EVERY_MS, byName: true };
  return { name: 'http', ...traits, open: (target) => openAdapter(options, target) };
}

type Operation = 'put' | 'get' | 'search' | 'list' | 'delete';

function openAdapter(options: HttpProviderOptions, target: MemoryTarget): MemoryBackend {
  const { namespace, name: memory } = target;
  const read = answerReader(memoryTitle(target));
  const post = async (operation: Operation, fields: object, signal: AbortSignal): Promise<string | undefined> =>
    send(options, target, { path: operation, body: JSON.stringify({ namespace, memory, ...fields }), signal });
  const list: MemoryBackend['list'] = async ({ prefix, after, limit }, signal) =>
    read.page(await post('list', { prefix, limit, ...(after !== undefined && { after }) }, signal), { prefix, limit });
  const remove = async (key: string, signal: AbortSignal) => read.removal(await post('delete', { key }, signal));
  const put = async ({ key, value }: Entry, signal: AbortSignal) => read.created(await post('put', { key, value }, signal));
  return {
    async ping(signal) {
      await send(options, target, { path: 'ping', body: undefined, signal });
      return { dimensions: undefined, unembedded: 0 };
    },
    get: async (key, signal) => read.value(await post('get', { key }, signal)),
    list,
    search: async ({ query, limit }, signal) => read.results(await post('search', { query, top_k: limit }, signal), limit),
    async write({ puts, deletes: asked, replaces: prefix }, signal) {
      const replaced = prefix === undefined ? [] : replacedSegments(await allKeys(list, read, { prefix, signal }), { prefix, puts });
      const deletes = [...asked, ...replaced];
      const gone = await eachAtOnce(deletes, (key) => remove(key, signal));
      const made = await eachAtOnce(puts, (entry) => put(entry, signal));
      return { deleted: deletes.filter((_, index) => gone[index]), created: puts.filter((_, index) => made[index]).map(({ key }) => key) };
    },
    async erase(signal) {
      for (let last: string | undefined; ;) {
        const { entries } = await list({ prefix: '', after: undefined, limit: PAGE }, signal);
        const first = entries[0]?.key;
        if (first === undefined) return;
        if (first === last) throw read.malformed('lists an entry that it reported as deleted');
        await eachAtOnce(entries, ({ key }) => remove(key, signal));
        last = first;
      }
    },
    close: () => Promise.resolve(),
  };
}

async function allKeys(
  list: MemoryBackend['list'],
  read: AnswerReader,
  { prefix, signal }: { readonly prefix: string; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const keys: string[] = [];
  for (let after: string | undefined, pages = 1; ; pages += 1) {
    const { entries, next } = await list({ prefix, after, limit: PAGE }, signal);
    keys.push(...entries.map(({ key }) => key));
    if (next === undefined) return keys;
    // Pages may be empty.
    if (next === after || keys.length + pages > KEYS_MAX) throw read.malformed('lists pages without an end');
    after = next;
  }
}

interface AdapterRequest {
  readonly path: Operation | 'ping';
  /** Undefined: a GET. */
  readonly body: string | undefined;
  readonly signal: AbortSignal;
}

/** Text of the answer, without the bearer token; undefined where a deletion found nothing. */
async function send(options: HttpProviderOptions, target: MemoryTarget, request: AdapterRequest): Promise<string | undefined> {
  const { path, body, signal } = request;
  const title = memoryTitle(target);
  signal.throwIfAborted();
  const token = await target.secret();
  const what = `the adapter of ${title}`;
  const attempt = async (limited: AbortSignal): Promise<string | undefined> => {
    const response = await options.egress.send({
      method: body === undefined ? 'GET' : 'POST',
      url: adapterUrl(title, target.spec.endpoint, path),
      headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) },
      credentials: token === undefined ? {} : { authorization: `Bearer ${token}` },
      ...(body !== undefined && { body }),
      signal: limited,
      allowPrivate: options.allowPrivate,
      permittedBy: options.permittedBy,
      // Entries go to the origin that the Memory names.
      followRedirects: 'same-origin',
    });
    if (path === 'delete' && response.status === 404) return void response.discard();
    const secrets = token === undefined ? [] : [token];
    if (!isSuccess(response.status)) throw await refusal(response, { what, secrets, now: options.clock.now() });
    return redact(await readText(response, { maxBytes: ANSWER_MAX_BYTES, retryable: false, what }), secrets);
  };
  try {
    return await withDeadline({ clock: options.clock, timeoutMs: REQUEST_MAX_MS, signal, what: `the request to ${what}` }, attempt);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

interface RefusalContext {
  readonly what: string;
  readonly secrets: readonly string[];
  readonly now: number;
}

async function refusal(response: EgressResponse, { what, secrets, now }: RefusalContext): Promise<CallError> {
  const { status, headers } = response;
  const wait = retryAfterMs(headers['retry-after'], now);
  const text = status === 401 || status === 403 ? '' : await readStart(response, QUOTE_MAX_BYTES);
  response.discard();
  const quote = redact(text, secrets).replace(/\s+/g, ' ').trim().slice(0, QUOTE_MAX_CHARS);
  const { code, retryable, reason } = verdictOf(status);
  const full = status === FULL ? ', its storage is full' : '';
  return new CallError(code, `${what} answered ${status}${full}${quote === '' ? '' : `: ${quote}`}`, {
    retryable,
    reason,
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

function verdictOf(status: number): { readonly code: CallErrorCode; readonly retryable: boolean; readonly reason: string } {
  if (REFUSES_ENTRY.has(status)) return { code: 'invalid_input', retryable: false, reason: `http_${status}` };
  if (status === FULL) return { code: 'execution_failed', retryable: false, reason: 'backend_full' };
  return { ...statusVerdict(status), reason: `http_${status}` };
}

/** Throws CallError `runtime_policy_invalid`. */
function adapterUrl(title: string, endpoint: string | undefined, path: string): string {
  if (endpoint === undefined || !URL.canParse(endpoint)) {
    throw new CallError('runtime_policy_invalid', `${title} spec.endpoint must be an http or https URL`, {
      retryable: false,
      reason: 'memory_endpoint',
    });
  }
  const url = new URL(endpoint);
  url.hash = '';
  url.pathname = `${trimEnd(url.pathname, '/')}/${path}`;
  return url.href;
}

/** Results in the order of the items. Begins no further work after a failure. */
async function eachAtOnce<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  let failed = false;
  const worker = async (): Promise<void> => {
    // The workers share the iterator.
    for (const [index, item] of queue) {
      if (failed) return;
      results[index] = await work(item);
    }
  };
  const workers = Array.from({ length: Math.min(AT_ONCE, items.length) }, worker);
  await Promise.all(workers).catch((error: unknown) => {
    failed = true;
    throw error;
  });
  return results;
}
