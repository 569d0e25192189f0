// Drafts around one tool of an agent: its lists, and the rule by which its calls need approval. Pure.
import { parseRef } from '@svc/shared/resource';
import { specOf } from '../../../kinds/read.ts';
import {
  draftId,
  draftsOf,
  freeName,
  newDraft,
  specOfDraft,
  withDraft,
  withField,
  withoutDraft,
  type DraftObject,
  type Drafts,
} from '../document/drafts.ts';

export const TOOLS = ['spec', 'tools'];
export const ALLOWED = ['spec', 'allowed_tools'];

/** Leaves room for a number. */
const NAME_CHARS_MAX = 248;

const rulesBeside = (drafts: Drafts, { namespace }: DraftObject) =>
  draftsOf(drafts, 'ToolPermission').filter((draft) => draft.namespace === namespace);

/** A free name that shows both: `a` with `b-c`, and `a-b` with `c`, would have the same. */
function ruleName(drafts: Drafts, agent: DraftObject, tool: string): string {
  const name = `${agent.name}-${parseRef(tool, agent.namespace).name}`.slice(0, NAME_CHARS_MAX).replace(/[^A-Za-z0-9]+$/, '');
  return freeName(
    name,
    rulesBeside(drafts, agent).map((draft) => draft.name),
  );
}

/** The drafted rule, by its content: names of agents change; undefined without one. */
export function approvalRuleOf(drafts: Drafts, agent: DraftObject, tool: string): DraftObject | undefined {
  return rulesBeside(drafts, agent).find((draft) => {
    const { tool_ref: ref, target_agents: agents = [] } = specOf('ToolPermission', { spec: specOfDraft(draft) });
    return ref === tool && agents.length === 1 && agents[0] === agent.name;
  });
}

function without(draft: DraftObject, path: readonly string[], { list, tool }: { readonly list: readonly string[]; readonly tool: string }) {
  const rest = list.filter((each) => each !== tool);
  return list.includes(tool) ? withField(draft, path, rest.length === 0 ? undefined : rest) : draft;
}

function listsOf(agent: DraftObject) {
  const { tools = [], allowed_tools: allowed = [] } = specOf('Agent', { spec: specOfDraft(agent) });
  return { tools, allowed };
}

/** The drafts without a tool of the agent, in both of its lists. */
export function withoutTool(drafts: Drafts, agent: DraftObject, tool: string): Drafts {
  const before = drafts.get(draftId(agent)) ?? agent;
  const { tools, allowed } = listsOf(before);
  const cleared = without(without(before, TOOLS, { list: tools, tool }), ALLOWED, { list: allowed, tool });
  return withDraft(withoutApproval(drafts, agent, tool), cleared);
}

/** Calls of the tool by this agent need approval. No rule governs a tool of `allowed_tools`: it moves to `tools`. */
export function withApproval(drafts: Drafts, agent: DraftObject, tool: string): Drafts {
  const before = drafts.get(draftId(agent)) ?? agent;
  const { tools, allowed } = listsOf(before);
  const narrowed = without(before, ALLOWED, { list: allowed, tool });
  const listed = tools.includes(tool) ? narrowed : withField(narrowed, TOOLS, [...tools, tool]);
  const name = approvalRuleOf(drafts, agent, tool)?.name ?? ruleName(drafts, agent, tool);
  const rule = newDraft(
    { kind: 'ToolPermission', namespace: agent.namespace, name },
    {
      tool_ref: tool,
      apply_mode: 'scoped',
      target_agents: [agent.name],
      operation_rules: [{ operation_class: '*', verdict: 'approval_required' }],
    },
  );
  return withDraft(withDraft(drafts, listed), rule);
}

export function withoutApproval(drafts: Drafts, agent: DraftObject, tool: string): Drafts {
  const rule = approvalRuleOf(drafts, agent, tool);
  return rule ? withoutDraft(drafts, draftId(rule)) : drafts;
}
