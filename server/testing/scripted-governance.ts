// Governance whose verdicts a test changes during a run, and the verdicts it gives.
import type { CallSubject, CallVerdict, Governance, ModelSubject, ModelVerdict } from '../engine/ports.ts';

export const rule = { kind: 'ToolPermission', namespace: 'default', name: 'careful', path: 'spec.operation_rules[0]' } as const;

export const allowCall = { verdict: 'allow', rule, findings: [] } satisfies CallVerdict;
export const approvalForCall = {
  verdict: 'approval_required',
  operation: 'write',
  ttlMs: 600_000,
  reason: 'money moves',
  rule,
  askedBy: [],
  findings: [],
} satisfies CallVerdict;
export const denyCall = {
  verdict: 'deny',
  code: 'permission_denied',
  reason: 'operation_rule',
  message: 'ToolPermission default/careful denies it',
  rule,
  findings: [],
} satisfies CallVerdict;

export function allowModel(tokens?: number): ModelVerdict {
  const thrift = { kind: 'AgentPolicy', namespace: 'default', name: 'thrift', path: 'spec.max_tokens_per_run' };
  return {
    verdict: 'allow',
    rule: { kind: 'default' },
    findings: [],
    ...(tokens !== undefined && { tokenLimit: { tokens, rule: thrift } }),
  };
}

export interface ScriptedGovernance extends Governance {
  call: (subject: CallSubject) => CallVerdict | Promise<CallVerdict>;
  model: (subject: ModelSubject) => ModelVerdict | Promise<ModelVerdict>;
  /** Tools judged, in order. */
  readonly judged: string[];
}

export function scriptedGovernance(): ScriptedGovernance {
  const judged: string[] = [];
  const governance: ScriptedGovernance = {
    judged,
    call: () => allowCall,
    model: () => allowModel(),
    async judgeCall(_reader, subject) {
      judged.push(subject.tool.ref);
      return governance.call(subject);
    },
    judgeModel: async (_reader, subject) => governance.model(subject),
  };
  return governance;
}
