// The request of the simulator and the description of its answer. Pure.
import type { AccessCheckAnswer, AccessFinding, AccessRule, AccessVerdict } from '@svc/shared/api/access';
import { textParam, type SearchState } from '../../navigation/search-state.ts';
import type { Tone } from '../../ui/status/tone.ts';

export const CHECK_PARAMS = {
  agent: textParam,
  tool: textParam,
  operation: textParam,
  system: textParam,
  task: textParam,
  model: textParam,
};
export type CheckState = SearchState<typeof CHECK_PARAMS>;

/** The body of `access.check`; undefined while it names no agent or no tool. */
export function questionOf(state: CheckState, namespace: string): Record<string, string> | undefined {
  if (state.agent.trim() === '' || state.tool.trim() === '') return undefined;
  const given = Object.entries(state).flatMap(([key, value]) => (value.trim() === '' ? [] : [[key, value.trim()] as const]));
  return { namespace, ...Object.fromEntries(given) };
}

export type Verdict = AccessVerdict['verdict'];

export const VERDICT_LOOK: Readonly<Record<Verdict, { readonly word: string; readonly headline: string; readonly tone: Tone }>> = {
  allow: { word: 'Allow', headline: 'The call would run', tone: 'ok' },
  approval_required: { word: 'Ask', headline: 'The call would need approval', tone: 'waiting' },
  deny: { word: 'Deny', headline: 'The call would be denied', tone: 'danger' },
};

export function ruleText({ kind, name, path }: AccessRule): string {
  return [name === undefined ? kind : `${kind} ${name}`, path].filter((part) => part !== undefined && part !== '').join(' · ');
}

export function samePlace(a: AccessRule, b: AccessRule): boolean {
  return a.kind === b.kind && a.namespace === b.namespace && a.name === b.name && a.path === b.path;
}

/** The findings that decide the answer: those of the verdict's kind. */
function deciding({ findings, rule, verdict }: AccessVerdict): readonly AccessFinding[] {
  return findings.filter((finding) => finding.effect === verdict || samePlace(finding.rule, rule));
}

export interface Hint {
  readonly text: string;
  /** Object to change. */
  readonly object?: { readonly kind: string; readonly namespace: string; readonly name: string };
}

type NamedRule = AccessRule & { readonly namespace: string; readonly name: string };
const isNamed = (rule: AccessRule): rule is NamedRule => rule.name !== undefined && rule.namespace !== undefined;

/** Description of the required change of a rule, by the kind of its object. */
const CHANGES: Readonly<Record<string, (path: string) => string>> = {
  AgentPolicy: (path) =>
    `Change ${path || 'the policy'}, or exempt the run: the policy applies to the systems and runs that its targets name.`,
  ToolPermission: (path) =>
    path.includes('required_permissions')
      ? 'Give the agent a role that has the permissions this rule requires, or require fewer of them.'
      : `Change ${path || 'the rule'} of the permission.`,
  AgentRole: (path) => `Add what is missing to ${path || 'spec.permissions'} of the role.`,
  Agent: (path) => `Change ${path || 'spec.tools'} of the agent, or give it another role.`,
  Tool: (path) => `Change ${path || 'the tool'}.`,
  ModelEndpoint: (path) => `Change ${path || 'the model endpoint'}.`,
};

/** Whether the answer says that the tool cannot run: `now`, where that may pass by itself. A tool that does not exist is another answer. */
export function unrunnableTool({ code, findings }: AccessCheckAnswer): 'as configured' | 'now' | undefined {
  const finding = findings.find(({ rule }) => rule.kind === 'Tool' && rule.path === undefined);
  if (!finding || code === 'not_found') return undefined;
  return finding.effect === 'deny' ? 'as configured' : 'now';
}

/** Changes that would lead to another answer, one hint for each place that blocks it; none for an allowed call. */
export function hintsOf(answer: AccessCheckAnswer): readonly Hint[] {
  if (answer.verdict === 'allow') return [];
  if (answer.code === 'unsupported_tool') {
    const [namespace = '', name = ''] = answer.agent.split('/');
    return [{ text: `Add the tool to spec.tools of the agent.`, object: { kind: 'Agent', namespace, name } }];
  }
  const rules = [...deciding(answer).map(({ rule }) => rule), answer.rule];
  const places = [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
  return places.map((rule) => {
    const words = CHANGES[rule.kind]?.(rule.path ?? '');
    const text = words ?? `Decided by ${ruleText(rule)}, which no object declares.`;
    return isNamed(rule) ? { text, object: { kind: rule.kind, namespace: rule.namespace, name: rule.name } } : { text };
  });
}
