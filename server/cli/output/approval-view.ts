// Approvals of both kinds as people read them: rows of one table, or all that a decision needs to be made on.
import type { SignedDecision } from '@svc/shared/decision-record';
import { isObject } from '@svc/shared/json';
import { ANNOTATION_PREFIX, type Resource } from '@svc/shared/resource';
import { objectWord } from '../kind-arguments.ts';
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
}

/** Columns in the order in which a narrow terminal leaves them out. */
export const APPROVAL_DROPS = ['AGENT', 'NAMESPACE', 'TASK', 'WHAT'];

export const approvalHeader = ({ namespaces, phases }: ApprovalLayout): string[] => [
  ...(namespaces ? ['NAMESPACE'] : []),
  'NAME',
  ...(phases ? ['STATE'] : []),
  'TASK',
  'WHAT',
  'AGENT',
  'EXPIRES',
];

export function approvalRow(approval: Resource, { namespaces, phases, nowMs, style }: ApprovalLayout): string[] {
  const { metadata, spec, status, kind } = approval;
  return [
    ...(namespaces ? [metadata.namespace] : []),
    objectWord(kind, metadata.name),
    ...(phases ? [style.phase(phaseOf(approval))] : []),
    cellText(spec['task_ref']),
    whatOf(approval),
    cellText(spec['agent']),
    phaseOf(approval) === 'Pending' ? expiryText(status['expires_at'], nowMs) : '-',
  ];
}

const phaseOf = ({ status }: Resource): string => cellText(status['phase'] ?? 'Pending');

/** `mail (write)`, or `checkpoint final, review 2`. */
function whatOf({ kind, spec }: Resource): string {
  if (kind === 'TaskApproval') return `checkpoint ${cellText(spec['checkpoint_id'])}, review ${cellText(spec['review_cycle'] ?? 1)}`;
  const operation = spec['operation_class'];
  return `${cellText(spec['tool'])}${operation === undefined ? '' : ` (${cellText(operation)})`}`;
}

function expiryText(at: unknown, nowMs: number): string {
  const then = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  if (Number.isNaN(then)) return '-';
  return then <= nowMs ? 'now' : `in ${age(new Date(nowMs).toISOString(), then)}`;
}

/** The exact call or output, what asks for it and what became of it. */
export function approvalLines(approval: Resource, records: readonly SignedDecision[], { style, nowMs }: ApprovalLayout): string[] {
  const { kind, metadata, spec, status } = approval;
  const text = (value: unknown) => (value === undefined ? undefined : cellText(value));
  const fields: [string, string | undefined][] = [
    ['Name', style.bold(objectWord(kind, metadata.name))],
    ['Namespace', metadata.namespace],
    ['State', style.phase(phaseOf(approval))],
    ['Task', text(spec['task_ref'])],
    [kind === 'TaskApproval' ? 'Checkpoint' : 'Tool', whatOf(approval)],
    ['Agent', text(spec['agent'])],
    ['Reason', text(spec['reason'])],
    ['Asked by', text(metadata.annotations?.[RULE_ANNOTATION])],
    ['Asked', `${metadata.createdAt} (${age(metadata.createdAt, nowMs)} ago)`],
    ['Expires', status['expires_at'] === undefined ? undefined : `${cellText(status['expires_at'])}${expiresIn(approval, nowMs)}`],
    ['Needs', needsOtherText(status)],
    ['Input hash', text(spec['input_hash'])],
    ['Follows', text(spec['supersedes'])],
    ['Decided by', deciderText(status)],
    ['Decided', text(status['decided_at'])],
    ['Outcome', text(status['outcome'])],
    ['Comment', text(status['comment'])],
    ['Record', records.length === 0 ? undefined : records.map(({ seq, hash }) => `${seq} (${hash})`).join(', ')],
  ];
  const content =
    kind === 'TaskApproval'
      ? block('Output under review:', spec['output'])
      : [...block('Input:', prettyJson(spec['input'])), ...block('Edited input, which ran instead:', prettyJson(status['edited_input']))];
  return [...fieldLines(fields.flatMap(([title, value]) => (value === undefined ? [] : [[title, value] as const]))), ...content];
}

/** With whom the server would refuse, where it says so. */
function needsOtherText({ needs_other: needed, cannot_decide: barred }: Readonly<Record<string, unknown>>): string | undefined {
  if (needed !== true) return undefined;
  const names = Array.isArray(barred) ? barred.filter(isObject).map(({ name, because }) => `${cellText(name)} (${cellText(because)})`) : [];
  return names.length === 0 ? 'another person' : `another person than ${names.join(' or ')}`;
}

function expiresIn(approval: Resource, nowMs: number): string {
  return phaseOf(approval) === 'Pending' ? ` (${expiryText(approval.status['expires_at'], nowMs)})` : '';
}

function deciderText(status: Readonly<Record<string, unknown>>): string | undefined {
  const { decided_by: by, on_behalf_of: other } = status;
  if (by === undefined) return undefined;
  return `${cellText(by)}${other === undefined ? '' : `, on behalf of ${cellText(other)}`}`;
}

/** Formats JSON text over several lines; any other text stays as it is. */
function prettyJson(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
