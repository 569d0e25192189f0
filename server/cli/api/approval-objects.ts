// Approvals of both kinds as people name them: NAME where only one kind has it, else KIND/NAME or --kind.
import { kindByName, type StatusOf } from '@svc/shared/kinds';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { statusOf } from '@svc/shared/kinds/read';
import { ANNOTATION_PREFIX, type Resource } from '@svc/shared/resource';
import { ApiError, type ApiClient } from './client.ts';
import { CliError, EXIT, usageError } from '../program/exit-codes.ts';
import { kindFromWord, objectWord } from '../arguments/kind-arguments.ts';
import { getObject, listObjects, type ObjectKey } from './resource-api.ts';

export const APPROVAL_KINDS = ['tool', 'task'] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

const DEFINITIONS: Readonly<Record<ApprovalKind, KindDefinition>> = {
  tool: kindByName('ToolApproval') as KindDefinition,
  task: kindByName('TaskApproval') as KindDefinition,
};

export const approvalDefinitions = (kind?: ApprovalKind): readonly KindDefinition[] =>
  kind === undefined ? Object.values(DEFINITIONS) : [DEFINITIONS[kind]];

export type ApprovalStatus = StatusOf<'ToolApproval'> | StatusOf<'TaskApproval'>;

/** Status fields that both kinds of approvals have. */
export function approvalStatus(approval: Resource): ApprovalStatus {
  return approval.kind === 'TaskApproval' ? statusOf('TaskApproval', approval) : statusOf('ToolApproval', approval);
}

const REASON_ANNOTATION = `${ANNOTATION_PREFIX}approval-reason`;

/** Whether the call was sent and its outcome is unknown. */
export const requiresOutcome = ({ metadata }: Resource): boolean => metadata.annotations?.[REASON_ANNOTATION] === 'unknown_outcome';

export interface NamedApproval {
  readonly key: ObjectKey;
  readonly resource: Resource;
}

/** Reads a name of the command line; without a kind, both kinds are searched. */
function askedFor(word: string, kind: ApprovalKind | undefined): { name: string; definitions: readonly KindDefinition[] } {
  const [prefix, name, ...rest] = word.split('/');
  if (name === undefined) return { name: word, definitions: approvalDefinitions(kind) };
  const definition = APPROVAL_KINDS.includes(prefix as ApprovalKind) ? DEFINITIONS[prefix as ApprovalKind] : kindFromWord(prefix ?? '');
  if (rest.length > 0 || name === '' || !Object.values(DEFINITIONS).includes(definition))
    throw usageError(`"${word}" does not name an approval`, 'write its name, tool-approval/NAME or task-approval/NAME');
  if (kind !== undefined && DEFINITIONS[kind] !== definition) throw usageError(`"${word}" is not a ${kind} approval`);
  return { name, definitions: [definition] };
}

async function found(client: ApiClient, key: ObjectKey): Promise<NamedApproval | undefined> {
  try {
    return { key, resource: await getObject(client, key) };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** The one approval that is meant. */
export async function findApproval(
  { client, namespace }: { readonly client: ApiClient; readonly namespace: string },
  word: string,
  kind: ApprovalKind | undefined,
): Promise<NamedApproval> {
  const { name, definitions } = askedFor(word, kind);
  const all = await Promise.all(definitions.map((definition) => found(client, { kind: definition, namespace, name })));
  const [first, second] = all.filter((each) => each !== undefined);
  if (!first) {
    const kinds = definitions.map((definition) => definition.kind).join(' or ');
    const hint = (svcctl: string) => `list those that wait with "${svcctl} approvals list"`;
    throw new CliError(`there is no ${kinds} ${namespace}/${name}`, { exitCode: EXIT.notFound, hint });
  }
  if (!second) return first;
  const words = [first, second].map(({ key }) => objectWord(key.kind.kind, name));
  throw usageError(`"${name}" is both a tool approval and a task approval`, `say which: ${words.join(' or ')}, or --kind tool|task`);
}

export interface ApprovalFilter {
  /** `*` for every namespace. */
  readonly namespace: string;
  readonly kind?: ApprovalKind | undefined;
  /** Decided and expired ones too. */
  readonly all?: boolean | undefined;
  readonly task?: string | undefined;
}

/** Those that wait, soonest to expire first; of both kinds. */
export async function listApprovals(client: ApiClient, { namespace, kind, all, task }: ApprovalFilter): Promise<Resource[]> {
  const fields = [...(all ? [] : ['status.phase=Pending']), ...(task === undefined ? [] : [`spec.task_ref=${task}`])];
  const fieldSelector = fields.length > 0 ? fields.join(',') : undefined;
  const lists = approvalDefinitions(kind).map(async (definition) => {
    const resources: Resource[] = [];
    for await (const page of listObjects(client, definition, { namespace, fieldSelector })) resources.push(...page);
    return resources;
  });
  const until = (approval: Resource) => Date.parse(approvalStatus(approval).expires_at ?? '') || Number.POSITIVE_INFINITY;
  return (await Promise.all(lists)).flat().sort((a, b) => until(a) - until(b) || 0);
}
