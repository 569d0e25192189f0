// Follows pending approvals and running Tasks through the change log, and reports what differs: notices, the badge, the number of running Tasks.
import type { FromServer } from '@svc/shared/control';
import { backoffMs, type BackoffRule } from '@svc/shared/backoff';
import { ServiceError } from '@svc/shared/errors';
import type { WatchItem } from '@svc/shared/api/watch';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import type { Resource } from '@svc/shared/resource';
import type { Clock } from '../clock.ts';
import { isApprovalKind, TASK_APPROVAL, TOOL_APPROVAL } from '../engine/approvals/approval-kind.ts';
import type { Registry, RequestContext } from '../registry/registry.ts';
import type { WatchService } from '../registry/watch/watch.ts';
import { isPending, noticeId, noticeOf, type RiskLevel } from './notices.ts';

export interface FollowWorkOptions {
  readonly registry: Pick<Registry, 'get' | 'list'>;
  readonly watches: Pick<WatchService, 'watchChanges'>;
  readonly clock: Clock;
  readonly context: RequestContext;
  readonly send: (message: FromServer) => void;
  readonly reportError: (error: unknown) => void;
  /** Default: approvals and running Tasks. */
  readonly counts?: 'approvals';
  /** Waits after failures. Default: a second each. */
  readonly retry?: BackoffRule;
}

const PAGE = 200;
/** Objects of one kind that a start counts: beyond them nobody works through a list. */
const COUNTED_MAX = 5_000;
/** Notices that a start sends; the badge counts further ones. */
const NOTICES_MAX = 50;
const RETRY: BackoffRule = { backoffMs: 1_000, maxBackoffMs: 1_000, jitter: 'none' };

export class FollowedWork {
  readonly #options: FollowWorkOptions;
  readonly #stopped = new AbortController();
  /** Ids of pending approvals, and of running Tasks. */
  readonly #pending = new Set<string>();
  readonly #running = new Set<string>();
  #badge = -1;
  #busy = -1;
  #failures = 0;
  #loop: Promise<void> | undefined;

  constructor(options: FollowWorkOptions) {
    const send = (message: FromServer) => void (this.#stopped.signal.aborted || options.send(message));
    this.#options = { ...options, send };
  }

  readonly runningTasks = (): number => this.#running.size;

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Ends all sending. Idempotent; safe when never started. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    const { retry = RETRY, clock, reportError } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
      } catch (error) {
        if (signal.aborted) return;
        // The person can no longer decide these approvals.
        if (error instanceof ServiceError && error.code === 'forbidden') this.withdraw();
        reportError(error);
      }
      this.#failures += 1;
      await clock.sleep(backoffMs(retry, { failures: this.#failures, random: Math.random() }), signal).catch(() => undefined);
    }
  }

  /** Cancels all notices: their approvals are no longer followed. */
  withdraw(): void {
    for (const id of [...this.#pending]) this.#close(id);
    this.#report();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { watches, context } = this.#options;
    for await (const batch of watches.watchChanges(context, {}, { signal })) {
      this.#failures = 0;
      for (const message of batch) await (message.type === 'item' ? this.#apply(message.item) : this.#readAll());
      this.#report();
    }
  }

  /** State at the start, and after changes were missed. */
  async #readAll(): Promise<void> {
    const approvals = await this.#pendingApprovals();
    const tasks = this.#countsTasks ? await this.#all('Task', 'Running') : [];
    const ids = new Set(approvals.map(noticeId));
    for (const id of this.#pending) if (!ids.has(id)) this.#close(id);
    this.#running.clear();
    for (const task of tasks) this.#running.add(task.metadata.uid);
    for (const approval of approvals) await this.#open(approval);
  }

  get #countsTasks(): boolean {
    return this.#options.counts !== 'approvals';
  }

  async #pendingApprovals(): Promise<Resource[]> {
    return [...(await this.#all(TOOL_APPROVAL, 'Pending')), ...(await this.#all(TASK_APPROVAL, 'Pending'))];
  }

  async #all(kind: string, phase: string): Promise<Resource[]> {
    const { registry, context } = this.#options;
    const fields = [{ path: 'status.phase', op: 'eq' as const, value: phase }];
    const found: Resource[] = [];
    for (;;) {
      const last = found.at(-1)?.metadata;
      const after = last && { namespace: last.namespace, name: last.name };
      const { items, continue: more } = await registry.list(context, { kind, fields, limit: PAGE, ...(after && { after }) });
      found.push(...items);
      if (more === undefined || items.length === 0 || found.length >= COUNTED_MAX) return found;
    }
  }

  async #apply({ type, kind, resource }: WatchItem): Promise<void> {
    if (kind === 'Task') {
      const runs = type !== 'deleted' && statusOf('Task', resource).phase === 'Running';
      this.#running[runs ? 'add' : 'delete'](resource.metadata.uid);
    } else if (isApprovalKind(kind)) {
      if (type !== 'deleted' && isPending(resource)) await this.#open(resource);
      else this.#close(noticeId(resource));
    }
  }

  async #open(approval: Resource): Promise<void> {
    const id = noticeId(approval);
    if (this.#pending.has(id)) return;
    this.#pending.add(id);
    if (this.#pending.size > NOTICES_MAX) return;
    this.#options.send({ type: 'notify', ...noticeOf(approval, await riskOf(approval, this.#options)) });
  }

  #close(id: string): void {
    if (this.#pending.delete(id)) this.#options.send({ type: 'notify-cancel', id });
  }

  #report(): void {
    if (this.#pending.size !== this.#badge) this.#options.send({ type: 'badge', count: (this.#badge = this.#pending.size) });
    if (this.#countsTasks && this.#running.size !== this.#busy)
      this.#options.send({ type: 'busy', runningTasks: (this.#busy = this.#running.size) });
  }
}

/** Risk level of the tool that an approval is about; undefined when there is none. */
export async function riskOf(
  approval: Resource,
  { registry, context }: Pick<FollowWorkOptions, 'registry' | 'context'>,
): Promise<RiskLevel> {
  if (approval.kind !== TOOL_APPROVAL) return undefined;
  const [tool = '', namespace = approval.metadata.namespace] = specOf(TOOL_APPROVAL, approval).tool.split('/').reverse();
  const found = await registry.get(context, { kind: 'Tool', namespace, name: tool }).catch(() => undefined);
  return found && specOf('Tool', found).risk_level;
}
