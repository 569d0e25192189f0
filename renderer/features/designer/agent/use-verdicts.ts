// Verdicts of governance on the tools of an agent, as if the drafts were stored.
import type { AccessCheckAnswer } from '@svc/shared/api/access';
import { nameProblem, parseRef } from '@svc/shared/resource';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { client } from '../../../live/api.ts';
import { draftsOf, specOfDraft, valueOfDraft, type DraftObject } from '../document/drafts.ts';
import type { Design } from '../document/use-design.ts';
import { approvalRuleOf } from './tool-drafts.ts';

const TOOLS_ASKED_MAX = 32;
const ASK_AFTER_MS = 250;

interface Question {
  readonly namespace: string;
  readonly documents: readonly unknown[];
  readonly agent: string;
  readonly tools: readonly string[];
  readonly system: string;
}

/** Fields of the agent that change a verdict: an edit of the prompt sends no request. */
function agentDocument(agent: DraftObject): unknown {
  const { model_ref: model, tools, allowed_tools: allowed, roles } = specOfDraft(agent);
  const { kind, namespace, name } = agent;
  const spec = { model_ref: typeof model === 'string' && model !== '' ? model : 'unset', tools, allowed_tools: allowed, roles };
  return { kind, metadata: { namespace, name }, spec: JSON.parse(JSON.stringify(spec)) as unknown };
}

interface VerdictContext {
  readonly design: Pick<Design, 'drafts' | 'system'>;
  /** Empty while the system has no name. */
  readonly system: string;
  /** The system is not stored yet: it is judged as it is drawn. */
  readonly isNew: boolean;
  /** Keep its identity. */
  readonly tools: readonly string[];
}

function questionOf(agent: DraftObject, { design, system, isNew, tools }: VerdictContext): Question {
  const { drafts } = design;
  const { namespace, name } = agent;
  const own = new Set(tools.map((ref) => `${parseRef(ref, namespace).namespace}/${parseRef(ref, namespace).name}`));
  const drafted = [
    ...draftsOf(drafts, 'Tool').filter((tool) => own.has(`${tool.namespace}/${tool.name}`)),
    ...tools.flatMap((tool) => approvalRuleOf(drafts, agent, tool) ?? []),
  ];
  const named = nameProblem(system) === undefined;
  const drawn =
    isNew && named ? [{ kind: 'AgentSystem', metadata: { namespace, name: system }, spec: { agents: design.system.agents } }] : [];
  const documents = [agentDocument(agent), ...drawn, ...drafted.map((draft) => valueOfDraft(draft))].filter((each) => each !== undefined);
  return { namespace, documents, agent: name, tools: tools.slice(0, TOOLS_ASKED_MAX), system: named ? system : '' };
}

/** Each answer with its tool. */
type Verdicts = readonly (readonly [tool: string, answer: AccessCheckAnswer])[];

async function ask({ namespace, documents, agent, tools, system }: Question, signal: AbortSignal): Promise<Verdicts> {
  await new Promise((resolve) => setTimeout(resolve, ASK_AFTER_MS));
  signal.throwIfAborted();
  const questions = tools.map((tool) => ({ namespace, agent, tool, ...(system !== '' && { system }) }));
  const answers = await client.access.whatIf.mutate({ namespace, documents: [...documents], questions }, { signal });
  return answers.flatMap((answer, index) => (tools[index] === undefined ? [] : [[tools[index], answer] as const]));
}

/** By the tools' names in the agent's list; empty while the server has not answered, and while a draft is not valid. */
export function useVerdicts(agent: DraftObject, { design, system, isNew, tools }: VerdictContext): ReadonlyMap<string, AccessCheckAnswer> {
  const question = useMemo(() => questionOf(agent, { design, system, isNew, tools }), [agent, design, system, isNew, tools]);
  const { data } = useQuery({
    // Changes of rules refresh it under this name.
    queryKey: [['access', 'whatIf'], JSON.stringify(question)],
    queryFn: ({ signal }) => ask(question, signal),
    enabled: tools.length > 0,
    placeholderData: (before) => before,
    retry: false,
    refetchInterval: false,
  });
  return useMemo(() => new Map(data), [data]);
}
