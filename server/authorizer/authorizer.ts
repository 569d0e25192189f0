// Port of the authorizer: an operator's own rules over identity, method, kind, namespace and name, evaluated in addition to roles. Fails closed.
import { once } from 'node:events';
import { ServiceError } from '@svc/shared/errors';
import { LRUCache } from 'lru-cache';
import { timeLimit, type Clock } from '../clock.ts';
import type { Identity } from '../registry/registry.ts';
import { OutsideFirst } from '../store/outside-first.ts';

export type AuthorizedMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Target {
  readonly method: AuthorizedMethod;
  /** Path segment of the API: `agents`, `task-webhooks`, `chat`, `tokens`. */
  readonly resource: string;
  /** Empty: every namespace, or none. */
  readonly namespace: string;
  /** Empty: a list, or a new object without a name. */
  readonly name: string;
}

/** Body of a request to the authorizer. */
export interface AuthorizerQuestion extends Target {
  readonly identity: Pick<Identity, 'name' | 'role' | 'method'>;
}

export interface AuthorizerAnswer {
  readonly allow: boolean;
  /** Shown to the caller of a denied request. */
  readonly reason?: string | undefined;
}

/** A throw counts as no answer. */
export type Authorize = (question: AuthorizerQuestion, signal: AbortSignal) => Promise<AuthorizerAnswer>;

export interface Authorizer {
  /** Throws `forbidden` with the reason, or `unavailable` when there is no answer in time. */
  require(identity: Identity, target: Target): Promise<void>;
  /**
   * Reason of the first denial among the targets, with its place; undefined: all are allowed. Does not wait: throws OutsideFirst while an answer is missing.
   * An operation, which is one request, keeps its answers until it ends, however many they are. Throws `too_large` where they take too long.
   */
  denialNow(
    identity: Identity,
    targets: readonly Target[],
    operation?: object,
  ): { readonly index: number; readonly message: string } | undefined;
  /** The items that the caller may see, in their order. Throws `unavailable`. */
  filter<Item>(identity: Identity, items: readonly Item[], targetOf: (item: Item) => Target): Promise<Item[]>;
}

const ANSWER_MAX_MS = 1_000;
/** A change of the operator's rules is in force after this time. */
const KEPT_MS = 5_000;
const KEPT_MAX = 20_000;
/** Time for the questions of one round of a request. */
const ROUND_MAX_MS = 30_000;
/** Questions in flight for one list. */
const AT_ONCE = 16;
const REASON_MAX_CHARS = 500;

export function createAuthorizer(authorize: Authorize, clock: Pick<Clock, 'now'>): Authorizer {
  const kept = new LRUCache<string, CachedAnswer>({ max: KEPT_MAX, ttl: KEPT_MS, ttlResolution: 0, perf: clock });
  const ask = (identity: Identity, target: Target): Promise<AuthorizerAnswer> => {
    const key = keyOf(identity, target);
    const known = kept.get(key);
    if (known) return known.coming;
    const { name, role, method } = identity;
    const entry: CachedAnswer = { coming: answerOf(authorize, { identity: { name, role, method }, ...target }) };
    kept.set(key, entry);
    entry.coming.then(
      (answer) => (entry.answer = answer),
      () => kept.delete(key),
    );
    return entry.coming;
  };
  const byOperation = new WeakMap<object, Map<string, AuthorizerAnswer>>();
  const queryAll = async (identity: Identity, targets: readonly Target[], maxMs = Infinity): Promise<AuthorizerAnswer[]> => {
    const until = clock.now() + maxMs;
    const answers: AuthorizerAnswer[] = [];
    for (let at = 0; at < targets.length; at += AT_ONCE) {
      if (clock.now() > until) throw tooMany(at, targets.length);
      answers.push(...(await Promise.all(targets.slice(at, at + AT_ONCE).map((target) => ask(identity, target)))));
    }
    return answers;
  };
  return {
    async require(identity, target) {
      if (identity.method === 'system') return;
      const { allow, reason } = await ask(identity, target);
      if (!allow) throw new ServiceError('forbidden', denial(target, reason));
    },
    async filter(identity, items, targetOf) {
      if (identity.method === 'system') return [...items];
      const answers = await queryAll(identity, items.map(targetOf));
      return items.filter((_item, index) => answers[index]?.allow);
    },
    denialNow(identity, targets, operation = {}) {
      if (identity.method === 'system') return undefined;
      const held = byOperation.get(operation) ?? new Map<string, AuthorizerAnswer>();
      byOperation.set(operation, held);
      const answers = targets.map((target) => {
        const key = keyOf(identity, target);
        const answer = held.get(key) ?? kept.get(key)?.answer;
        if (answer) held.set(key, answer);
        return answer;
      });
      const missing = targets.filter((_target, index) => answers[index] === undefined);
      if (missing.length > 0)
        throw new OutsideFirst(async () => {
          const fresh = await queryAll(identity, missing, ROUND_MAX_MS);
          fresh.forEach((answer, index) => held.set(keyOf(identity, missing[index]!), answer));
        });
      const index = answers.findIndex((answer) => answer?.allow === false);
      const target = targets[index];
      return target && { index, message: denial(target, answers[index]?.reason) };
    },
  };
}

interface CachedAnswer {
  readonly coming: Promise<AuthorizerAnswer>;
  /** Present once it has come. */
  answer?: AuthorizerAnswer;
}

const keyOf = ({ method, name, role }: Identity, target: Target): string =>
  JSON.stringify([method, name, role, target.method, target.resource, target.namespace, target.name]);

async function answerOf(authorize: Authorize, question: AuthorizerQuestion): Promise<AuthorizerAnswer> {
  try {
    const signal = timeLimit(ANSWER_MAX_MS);
    const overdue = once(signal, 'abort').then(() => Promise.reject(signal.reason as Error));
    // In a chain, so that a function that throws at once leaves no limit behind that nobody awaits.
    const answered = Promise.resolve().then(() => authorize(question, signal));
    const { allow, reason } = await Promise.race([answered, overdue]);
    return { allow: allow === true, reason: typeof reason === 'string' ? reason.slice(0, REASON_MAX_CHARS) : undefined };
  } catch (cause) {
    throw new ServiceError('unavailable', 'The authorizer did not answer; nothing is allowed until it does', { cause });
  }
}

function tooMany(answered: number, asked: number): ServiceError {
  return new ServiceError(
    'too_large',
    `The authorizer answered for ${answered} of ${asked} objects of this request within ${ROUND_MAX_MS / 1000} s; send less at once, such as fewer documents or a narrower labelSelector`,
  );
}

function denial({ method, resource, namespace, name }: Target, reason: string | undefined): string {
  const what = [resource, namespace, name].filter((part) => part !== '').join('/');
  return `The authorizer denies ${method} ${what}${reason === undefined || reason === '' ? '' : `: ${reason}`}`;
}
