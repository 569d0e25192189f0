// Reason texts of approvals and reviews.
import { timestamp } from '../../clock.ts';
import type { DataOf } from '../core/entries.ts';
import type { RuleRef } from '../ports.ts';

/** A rule as text: `ToolPermission default/deploy spec.operation_rules[1]`. */
export function ruleText({ kind, namespace, name, path }: RuleRef): string {
  const object = name === undefined ? kind : `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  return path === undefined ? object : `${object} ${path}`;
}

export function approvalReason(data: DataOf<'approval.requested'>): string {
  const { tool, agent, reason, sent_at = 0 } = data;
  if (reason === 'unknown_outcome')
    return (
      `${reason}: the call of ${tool} was sent at ${timestamp(sent_at)} and no answer came: its worker was lost, or the agent ran out of time. ` +
      'Find out its outcome, then approve with outcome done, not_done or run_again, or deny to end the task.'
    );
  if (data.why !== undefined && data.why !== '') return data.why;
  const what = data.operation === undefined ? `calls of ${tool}` : `${data.operation} calls of ${tool}`;
  const rule = data.rule ? ruleText(data.rule) : 'a rule';
  return `${rule} asks a person before ${what}; agent ${agent} wants to make one`;
}

export function reviewReason({ why, checkpoint_id, checkpoint_type, agent }: DataOf<'review.requested'>): string {
  if (why !== '') return why;
  const what = checkpoint_type === 'task_output' ? 'the final output of the task' : `the output of agent ${agent}`;
  return `review point ${checkpoint_id}: ${what} continues once a person has approved it`;
}
