// Four eyes: decisions that take another person than the creators of the Task and the last writers of the rules that ask.
import { ServiceError } from '@svc/shared/errors';
import { describeKey, parseRef, type ResourceKey } from '@svc/shared/resource';
import { specOf } from '@svc/shared/kinds/read';
import { creatorsOf } from '../../registry/principal.ts';
import type { Identity } from '../../registry/registry.ts';
import type { StoredObject, StoreReader } from '../../store/store.ts';
import type { ApprovalRule } from '../ports.ts';
import { approvalSpec, TASK_APPROVAL } from './approval-kind.ts';
import type { AskOrigin, WaitingRun } from './waiting-run.ts';

/** Identity whose decision is refused, and for what. */
interface BarredIdentity {
  readonly name: string;
  readonly because: string;
}

export interface OtherPerson {
  readonly barred: readonly BarredIdentity[];
  /** Object whose writer is not known; every decision is refused then. */
  readonly unknown?: string;
}

export interface Question {
  readonly approval: ResourceKey & Pick<StoredObject, 'uid' | 'spec' | 'createdBy' | 'specBy'>;
  readonly waiting: WaitingRun | undefined;
}

/**
 * Identities whose decision is refused; undefined when only the role decides. `always` is the server's own demand. Each rule counts with its writer
 * at the time of asking and with its present one, so that a later write hides nobody. An unknown writer refuses every decision.
 */
export async function otherPersonFor(reader: StoreReader, question: Question, always: boolean): Promise<OtherPerson | undefined> {
  const { waiting } = question;
  if (!waiting) return always ? byHand(reader, question.approval) : undefined;
  const origin = waiting.origin ?? (await olderOrigin(reader, question.approval.namespace, waiting));
  const rules = (await Promise.all(named(origin.rules).map((rule) => withServer(reader, rule)))).flat();
  if (!always && !rules.some(({ rule, now }) => rule.require_other === true || requiresOther(now))) return undefined;
  const key = { kind: 'Task', namespace: question.approval.namespace, name: waiting.task };
  const task = describeKey(key);
  // People who have replaced a text since the run began.
  const now = await reader.getObject(key);
  const authors = now?.uid === waiting.stream ? (now.alsoBy ?? []) : [];
  const writers = rules.flatMap(({ rule, now }) => [rule.by, now?.specBy].flatMap((name) => (name === undefined ? [] : [{ name, rule }])));
  const unknown = origin.creators ? rules.find(({ rule, now }) => rule.by === undefined && now?.specBy === undefined) : undefined;
  return {
    barred: merged([
      ...[...(origin.creators ?? []), ...authors].map((name) => ({ name, because: `created ${task}` })),
      ...writers.map(({ name, rule }) => ({ name, because: `last changed ${describeKey(rule)}` })),
    ]),
    ...(!origin.creators && { unknown: task }),
    ...(unknown && { unknown: describeKey(unknown.rule) }),
  };
}

/** Throws `forbidden` when this identity may not decide. */
export function refuseSamePerson(identity: Identity, title: string, other: OtherPerson | undefined): void {
  const problem = other && samePersonProblem(identity, title, other);
  if (problem !== undefined) throw new ServiceError('forbidden', problem);
}

/** Reason why this identity may not decide, with those who may; undefined when it may. */
export function samePersonProblem({ method, name }: Identity, title: string, { barred, unknown }: OtherPerson): string | undefined {
  if (method === 'none')
    return `${title} needs the decision of another person, and without authentication people cannot be distinguished; create an admin token to turn authentication on`;
  if (unknown !== undefined)
    return `${title} needs the decision of another person, and it is not known who wrote ${unknown}; cancel the Task, write ${unknown} again, and run it again`;
  const own = barred.find((each) => each.name === name);
  if (!own) return undefined;
  const others = barred.filter((each) => each !== own).map((each) => each.name);
  const besides = others.length === 0 ? '' : `, except ${others.join(' and ')}`;
  return `${title} needs the decision of another person: ${name} ${own.because}; another person of role approver may decide${besides}`;
}

type NamedRule = ApprovalRule & ResourceKey;

/** Defaults of the server have no writer. */
function named(rules: readonly ApprovalRule[]): NamedRule[] {
  return rules.filter((rule): rule is NamedRule => rule.namespace !== undefined && rule.name !== undefined);
}

interface CurrentRule {
  readonly rule: NamedRule;
  readonly now: StoredObject | undefined;
}

/** A rule as it is now. A Tool of type mcp is what its McpServer makes of it, so the writer of that counts too. */
async function withServer(reader: StoreReader, rule: NamedRule): Promise<CurrentRule[]> {
  const now = await reader.getObject(rule);
  const ref = now?.kind === 'Tool' ? specOf('Tool', now).mcp_server_ref : undefined;
  if (ref === undefined) return [{ rule, now }];
  const key = { kind: 'McpServer', ...parseRef(ref, rule.namespace) };
  const server = await reader.getObject(key);
  return [{ rule, now }, ...(server ? [{ rule: key, now: server }] : [])];
}

/** Rules that were tightened after the request apply too. */
function requiresOther(rule: StoredObject | undefined): boolean {
  return rule?.kind === 'ToolPermission' && specOf('ToolPermission', rule).approval?.require_other === true;
}

/** Entries of one name become one. */
function merged(barred: readonly BarredIdentity[]): BarredIdentity[] {
  const byName = new Map<string, Set<string>>();
  for (const { name, because } of barred) byName.set(name, (byName.get(name) ?? new Set()).add(because));
  return [...byName].map(([name, reasons]) => ({ name, because: [...reasons].join(' and ') }));
}

/** Origin of a request by an older version: the Task and the rule as they are now. */
async function olderOrigin(reader: StoreReader, namespace: string, waiting: WaitingRun): Promise<AskOrigin> {
  const task = await reader.getObject({ kind: 'Task', namespace, name: waiting.task });
  const rule = waiting.kind === TASK_APPROVAL ? undefined : waiting.call?.rule;
  return { ...(task?.createdBy !== undefined && { creators: creatorsOf(task) }), rules: rule ? [rule] : [] };
}

/** For an approval without a waiting run. Its decision is recorded too, so its creator and the creator of its Task are refused. */
async function byHand(reader: StoreReader, approval: Question['approval']): Promise<OtherPerson> {
  const key = { kind: 'Task', ...parseRef(approvalSpec(approval).task_ref, approval.namespace) };
  const task = await reader.getObject(key);
  return {
    barred: merged([
      ...creatorsOf(approval).map((name) => ({ name, because: `created ${describeKey(approval)}` })),
      ...(task ? creatorsOf(task).map((name) => ({ name, because: `created ${describeKey(key)}` })) : []),
    ]),
  };
}
