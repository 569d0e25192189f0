// Notices of pending approvals for the desktop: title, body and actions of each. Pure. They hold no inputs and no outputs of calls.
import type { Notice } from '@svc/shared/control';
import type { Resource } from '@svc/shared/resource';
import { textStart } from '@svc/shared/text-start';
import { approvalSpec, approvalStatus, TASK_APPROVAL, TOOL_APPROVAL } from '../engine/approvals/approval-kind.ts';
import { specOf } from '@svc/shared/kinds/read';

export type RiskLevel = string | undefined;

const TITLE_MAX = 120;
const BODY_MAX = 300;
/** Controls, bidirectional marks, zero-width characters: a name could show another text with them. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

function shown(text: string, max: number): string {
  const plain = text.replace(HIDDEN, ' ').replace(/ {2,}/g, ' ').trim();
  return plain.length > max ? `${textStart(plain, max - 1).trimEnd()}…` : plain;
}

/** Identity of a question: another object of the same name has another uid. */
export const noticeId = ({ kind, metadata }: Resource): string => [kind, metadata.namespace, metadata.name, metadata.uid].join('/');

export const isPending = (approval: Resource): boolean => approvalStatus(approval).phase === 'Pending';

function titleOf(approval: Resource): string {
  if (approval.kind === TASK_APPROVAL) return `Review: ${specOf(TASK_APPROVAL, approval).checkpoint_id}`;
  const { tool, agent } = specOf(TOOL_APPROVAL, approval);
  return agent ? `${agent} wants to call ${tool}` : `Approval to call ${tool}`;
}

function linkOf({ kind, metadata }: Resource): string {
  const family = kind === TASK_APPROVAL ? 'task' : 'tool';
  return `svc://approvals/${family}/${encodeURIComponent(metadata.namespace)}/${encodeURIComponent(metadata.name)}`;
}

/** A decision without the screen is offered for tools of low risk only: everything else needs more than a notification shows. */
export function canDecideInNotification(approval: Resource, risk: RiskLevel): boolean {
  if (approval.kind !== TOOL_APPROVAL || risk !== 'low') return false;
  return approval.metadata.annotations?.['svc.dev/approval-reason'] !== 'unknown_outcome';
}

/** `risk` is the risk level of the tool; undefined when the tool is gone. */
export function noticeOf(approval: Resource, risk: RiskLevel): Notice {
  const { task_ref: task, reason = '' } = approvalSpec(approval);
  const grave = risk === 'high' || risk === 'critical';
  return {
    id: noticeId(approval),
    title: shown(titleOf(approval), TITLE_MAX),
    body: shown([`Task ${task}`, reason].filter(Boolean).join(' · '), BODY_MAX),
    link: linkOf(approval),
    actions: canDecideInNotification(approval, risk) ? ['approve', 'deny'] : [],
    expiresAt: approvalStatus(approval).expires_at ?? null,
    urgency: grave ? 'critical' : 'normal',
  };
}
