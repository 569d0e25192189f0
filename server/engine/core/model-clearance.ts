// Whether a model may be called: the policies that govern the run allow it, and its token budget is not used up.
import type { RuleRef, TokenLimit } from '../ports.ts';
import type { DecideContext, Decision } from './decision.ts';
import type { Entry, Failure } from './entries.ts';
import { turnTag, type TurnScope } from './scope.ts';
import { modelSubject } from './verdicts.ts';

export interface ModelCall {
  /** Its request id. */
  readonly key: string;
  readonly context: DecideContext;
}

export function clearModel(
  scope: TurnScope,
  { key, context }: ModelCall,
  send: (limit: TokenLimit | undefined) => Entry,
): Extract<Decision, { kind: 'record' | 'judge' }> {
  const subject = modelSubject(scope);
  if (!subject) return { kind: 'record', entry: send(undefined) };
  const verdict = context.verdicts.models.get(key);
  if (!verdict) return { kind: 'judge', pendingCalls: [{ kind: 'model', key, subject }] };
  const at = context.now;
  if (verdict.verdict === 'deny') {
    const { code, reason, message, rule } = verdict;
    return { kind: 'record', entry: refused(scope, { at, failure: { code, reason, message, retryable: false }, rule }) };
  }
  const { tokenLimit } = verdict;
  if (tokenLimit && scope.state.tokensUsed >= tokenLimit.tokens) return { kind: 'record', entry: overspent(scope, tokenLimit, at) };
  return { kind: 'record', entry: send(tokenLimit) };
}

export function overspent(scope: TurnScope, { tokens, rule }: TokenLimit, at: number): Entry {
  const used = scope.state.tokensUsed;
  const message = `the task has used ${used} tokens and ${titleOf(rule)} allows it ${tokens}`;
  const entry = refused(scope, { at, failure: { code: 'token_budget_exceeded', message, retryable: false }, rule });
  return { ...entry, data: { ...entry.data, tokens_used: used, token_limit: tokens } };
}

interface Refusal {
  readonly at: number;
  readonly failure: Failure;
  readonly rule: RuleRef;
}

function refused(scope: TurnScope, { at, failure, rule }: Refusal): Extract<Entry, { type: 'turn.refused' }> {
  return { type: 'turn.refused', at, data: { ...turnTag(scope), ...failure, rule } };
}

function titleOf({ kind, namespace, name }: RuleRef): string {
  return name === undefined ? kind : `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
