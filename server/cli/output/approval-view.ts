// Approvals of both kinds as people read them: rows of one table, or all that a decision needs to be made on.
import type { SignedDecision } from '@svc/shared/decision-record';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import { ANSWERED } from '@svc/shared/kinds/tool-approval/outcomes';
import { ANNOTATION_PREFIX, type Resource } from '@svc/shared/resource';
import { approvalOrigin, askerTerm, DOOR_NAMES, originText } from '@svc/shared/run-origin';
import { approvalStatus, type ApprovalStatus } from '../api/approval-objects.ts';
import { objectWord } from '../arguments/kind-arguments.ts';
import { block } from './decision-view.ts';
import { cellText } from './resources.ts';
import type { Style } from './style.ts';
import { fieldLines } from './table.ts';
import { age } from './time.ts';

const RULE_ANNOTATION = `${ANNOTATION_PREFIX}approval-rule`;

export interface ApprovalLayout {
  readonly namespaces: boolean;
  /** With the phase: where not only pending ones are shown. */
  readonly phases: boolean;
  readonly nowMs: number;
  readonly style: Style;
  /** Only what a decision in place needs: the rest was shown before. */
  readonly brief?: boolean;
}

const BRIEF_FIELDS: ReadonlySet<string> = new Set(['Tool', 'Checkpoint', 'Agent', 'Reason', 'Asked by', 'Expires', 'Needs']);

/** Columns in the order in which a narrow terminal leaves them out. */
export const APPROVAL_DROPS = ['AGENT', 'NAMESPACE', 'FROM', 'TASK', 'WHAT'];

export const approvalHeader = ({ namespaces, phases }: ApprovalLayout): string[] => [
  ...(namespaces ? ['NAMESPACE'] : []),
  'NAME',
  ...(phases ? ['STATE'] : []),
  'TASK',
  'WHAT',
  'AGENT',
  'FROM',
  'EXPIRES',
];

export function approvalRow(approval: Resource, { namespaces, phases, nowMs, style }: ApprovalLayout): string[] {
  const { metadata, kind } = approval;
  const { task_ref: task, agent } = specOf(kindOf(approval), approval);
  const { phase, expires_at: expiresAt } = approvalStatus(approval);
  return [
    ...(namespaces ? [metadata.namespace] : []),
    objectWord(kind, metadata.name),
    ...(phases ? [style.phase(phase)] : []),
    task,
    whatOf(approval),
    cellText(agent),
    cellText(fromOf(approval)),
    phase === 'Pending' ? expiryText(expiresAt, nowMs) : '-',
  ];
}

/** `talk (Session) by ann`, `API by ann`: the source of the run in short. */
function fromOf({ metadata }: Resource): string | undefined {
  const origin = approvalOrigin(metadata);
  if (!origin) return undefined;
  const { door, source, askedBy } = origin;
  const through = source ? `${source.name} (${DOOR_NAMES[door]})` : DOOR_NAMES[door];
  return askedBy === undefined ? through : `${through} by ${askedBy}`;
}

/** `mail (write)`, or `checkpoint final, review 2`. */
function whatOf(approval: Resource): string {
  if (approval.kind === 'TaskApproval') {
    const { checkpoint_id: checkpoint, review_cycle: cycle } = specOf('TaskApproval', approval);
    return `checkpoint ${checkpoint}, review ${cycle}`;
  }
  const { tool, operation_class: operation } = specOf('ToolApproval', approval);
  return `${tool}${operation === undefined ? '' : ` (${operation})`}`;
}

function expiryText(at: string | undefined, nowMs: number): string {
  const then = Date.parse(at ?? '');
  if (Number.isNaN(then)) return '-';
  return then <= nowMs ? 'now' : `in ${age(new Date(nowMs).toISOString(), then)}`;
}

/** The exact call or output, its requester and its outcome. */
export function approvalLines(approval: Resource, records: readonly SignedDecision[], { style, nowMs, brief }: ApprovalLayout): string[] {
  const { kind, metadata } = approval;
  const isReview = kind === 'TaskApproval';
  const spec = specOf(kindOf(approval), approval);
  const status = approvalStatus(approval);
  const origin = approvalOrigin(metadata);
  const fields: [string, string | undefined][] = [
    ['Name', style.bold(objectWord(kind, metadata.name))],
    ['Namespace', metadata.namespace],
    ['State', style.phase(status.phase)],
    ['Task', spec.task_ref],
    [isReview ? 'Checkpoint' : 'Tool', whatOf(approval)],
    ['Agent', spec.agent],
    ['From', origin && originText(origin)],
    [origin ? askerTerm(origin) : '', origin?.askedBy],
    ['Reason', spec.reason],
    ['Asked by', metadata.annotations?.[RULE_ANNOTATION]],
    ['Asked', `${metadata.createdAt} (${age(metadata.createdAt, nowMs)} ago)`],
    [
      'Expires',
      status.expires_at && `${status.expires_at}${status.phase === 'Pending' ? ` (${expiryText(status.expires_at, nowMs)})` : ''}`,
    ],
    ['Needs', needsOtherText(status)],
    ['Input hash', isReview ? undefined : specOf('ToolApproval', approval).input_hash],
    ['Follows', isReview ? specOf('TaskApproval', approval).supersedes : undefined],
    ['Decided by', deciderText(status)],
    ['Decided', status.decided_at],
    ['Outcome', isReview ? undefined : statusOf('ToolApproval', approval).outcome],
    ['Comment', status.comment],
    ['Record', records.length === 0 ? undefined : records.map(({ seq, hash }) => `${seq} (${hash})`).join(', ')],
  ];
  const content = isReview ? block('Output under review:', specOf('TaskApproval', approval).output) : callBlocks(approval);
  const shown = fields.filter(([title]) => !brief || BRIEF_FIELDS.has(title));
  return [...fieldLines(shown.flatMap(([title, value]) => (value ? [[title, value] as const] : []))), ...content];
}

function callBlocks(approval: Resource): string[] {
  const { input } = specOf('ToolApproval', approval);
  const { edited_input: edited, outcome, output } = statusOf('ToolApproval', approval);
  return [
    ...block('Input:', prettyJson(input)),
    ...block('Edited input, which ran instead:', prettyJson(edited)),
    ...block(outcome === ANSWERED ? 'Answer in place of the call:' : 'Answer of the tool, as reported:', output),
  ];
}

const kindOf = ({ kind }: Resource) => (kind === 'TaskApproval' ? 'TaskApproval' : 'ToolApproval');

/** Identities whose decision the server would refuse, where it reports them. */
function needsOtherText({ needs_other: needed, cannot_decide: barred = [] }: ApprovalStatus): string | undefined {
  if (!needed) return undefined;
  const names = barred.map(({ name, because }) => `${name} (${because})`);
  return names.length === 0 ? 'another person' : `another person than ${names.join(' or ')}`;
}

function deciderText({ decided_by: by, on_behalf_of: other }: ApprovalStatus): string | undefined {
  return by && `${by}${other ? `, on behalf of ${other}` : ''}`;
}

/** Formats JSON text over several lines; any other text stays as it is. */
function prettyJson(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
