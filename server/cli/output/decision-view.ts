// A decision record as people read it: a row of a table, or all of it. Independent of any server.
import type { SignedDecision } from '@svc/shared/decision-record';
import { fieldLines } from './table.ts';
import { yamlText } from './data-text.ts';

export const DECISION_HEADER = ['SEQ', 'TIME', 'DECISION', 'TYPE', 'APPROVAL', 'TASK', 'TOOL', 'BY'];
/** Columns in the order in which a narrow terminal leaves them out. */
export const DECISION_DROPS = ['TYPE', 'TOOL', 'TASK', 'BY'];

type ObjectName = Pick<SignedDecision['task'], 'namespace' | 'name'>;
const nameOf = ({ namespace, name }: ObjectName): string => `${namespace}/${name}`;

export function decisionRow(record: SignedDecision): string[] {
  const { seq, timestamp, decision, type, approval, task, tool, decider } = record;
  const time = timestamp.replace(/\.\d+Z$/, 'Z');
  const texts = [decision, type, nameOf(approval), nameOf(task), tool ?? '-', decider?.name ?? '-'];
  return [String(seq), time, ...texts];
}

function deciderText({ decider }: SignedDecision): string {
  if (!decider) return 'nobody: it expired';
  const { name, method, on_behalf_of: other } = decider;
  return `${name} (${method === 'none' ? 'not signed in' : `signed in by ${method}`})${other === undefined ? '' : `, on behalf of ${other}`}`;
}

function ruleText(rule: SignedDecision['rule']): string | undefined {
  if (!rule) return undefined;
  const object = [rule.namespace, rule.name].filter((part) => part !== undefined).join('/');
  return [rule.kind, object, rule.path].filter((part) => part).join(' ');
}

export function decisionLines(record: SignedDecision): string[] {
  const { approval, task, tool, operation, decision, outcome, rule, comment, request_id } = record;
  const fields: [string, string | undefined][] = [
    ['Record', `${record.seq} (${record.type})`],
    ['Time', record.timestamp],
    ['Decision', outcome === undefined ? decision : `${decision}: ${outcome}`],
    ['Decided by', deciderText(record)],
    ['Comment', comment],
    ['Approval', `${approval.kind} ${nameOf(approval)}`],
    ['Task', nameOf(task)],
    ['Agent', record.agent],
    ['Tool', tool],
    ['Operation', operation],
    ['Asked by', ruleText(rule)],
    ['Request', request_id],
    ['Call hash', record.call_hash],
    ['Output hash', record.output_hash],
    ['Previous', record.previous_hash],
    ['Hash', record.hash],
    ['Signature', record.signature],
    ['Key', record.key_id],
  ];
  const shown = fields.flatMap(([title, value]) => (value === undefined ? [] : [[title, value] as const]));
  return [...fieldLines(shown), ...block('Proposed input:', record.proposed_input), ...block('Edited input:', record.edited_input)];
}

/** Nested values as indented YAML under their title. */
export function block(title: string, value: unknown): string[] {
  if (value === undefined) return [];
  const text = typeof value === 'string' ? value : yamlText(value);
  return [
    '',
    title,
    ...text
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`.trimEnd()),
  ];
}
