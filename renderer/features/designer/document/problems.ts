// All problems of a system while it is drawn, by the rules of the server, each with its place and its fix. Pure.
import type { FieldError } from '@svc/shared/errors';
import { systemProblems } from '@svc/shared/graph/graph';
import { atKey } from '@svc/shared/path-text';
import type { AgentFacts } from '../../../graph/agent-summary.ts';
import type { GraphProblem } from '../../../graph/canvas-items.ts';
import type { SystemRead } from '../../../graph/read-system.ts';
import type { SystemEdge, SystemGraphModel, SystemNode } from '../../../graph/system-graph.ts';
import { addAgent, connect, disconnect, removeAgents, setJoin } from './commands.ts';

interface TextFix {
  readonly label: string;
  readonly apply: (text: string) => string;
}

/** Drafts agents; the text stays. */
interface MakeFix {
  readonly label: string;
  readonly make: readonly string[];
}

export type Fix = TextFix | MakeFix;

export interface SystemProblem extends GraphProblem {
  readonly id: string;
  /** As the server writes it, `spec.graph.a.edges[0].to`. */
  readonly path: string;
  readonly node?: string;
  readonly edge?: string;
  readonly fixes: readonly Fix[];
}

/** A missing object that an agent refers to, directly or through its model. */
export interface MissingReference {
  readonly agent: string;
  /** `Tool invoice-delete`. */
  readonly object: string;
  readonly path: string;
}

/** A tool that an agent lists and that cannot run as it is configured. */
export interface UnrunnableTool {
  readonly agent: string;
  readonly tool: string;
  /** Sentence of the server. */
  readonly message: string;
}

export interface ProblemInput {
  readonly system: SystemRead;
  readonly model: SystemGraphModel;
  readonly facts: ReadonlyMap<string, AgentFacts>;
  /** Errors that the kind's own rules report for the spec. */
  readonly rules: readonly FieldError[];
  readonly missing: readonly MissingReference[];
  readonly unrunnable: readonly UnrunnableTool[];
  /** Errors of the objects drafted beside the system. */
  readonly drafted?: readonly DraftProblem[];
}

/** An error of a drafted object. */
export interface DraftProblem {
  readonly kind: string;
  readonly name: string;
  /** The agent as the system names it; absent for other kinds. */
  readonly agent?: string;
  readonly path: string;
  readonly message: string;
}

/** The cycle's bound is the Task's: checking with one keeps the question for the run. */
const ANY_BOUND = 1;

const fieldPath = ({ source, field }: SystemEdge) =>
  field === 'implied' ? 'spec.agents' : `${atKey('spec.graph', source)}.${field === 'next' ? 'next' : `edges[${field}]`}`;

function listed({ agents }: SystemRead, agent: string): string {
  const index = agents.indexOf(agent);
  return index < 0 ? atKey('spec.graph', agent) : `spec.agents[${index}]`;
}

const addFix = (agent: string): Fix => ({ label: `Add ${agent} to the system`, apply: (text) => addAgent(text, agent) });
const makeFix = (make: readonly string[], label: string): Fix => ({ label, make });
const removeFix = (agent: string): Fix => ({ label: `Remove ${agent}`, apply: (text) => removeAgents(text, [agent]) });

function strangers({ system, model }: ProblemInput): SystemProblem[] {
  const edges = new Map(model.edges.map((edge) => [typeof edge.field === 'number' ? `${fieldPath(edge)}.to` : fieldPath(edge), edge]));
  if (system.agents.length === 0 && model.nodes.length === 0) return [];
  return systemProblems(system, ANY_BOUND).map(({ path, message }): SystemProblem => {
    const edge = edges.get(path);
    const node = model.nodes.find(({ id }) => atKey('spec.graph', id) === path)?.id;
    const who = edge?.target ?? node;
    const drop: Fix[] = edge
      ? [{ label: 'Remove the connection', apply: (text) => disconnect(text, edge) }]
      : node
        ? [removeFix(node)]
        : [];
    return {
      id: `listed ${path}`,
      severity: 'error',
      path,
      message: edge ? `${edge.source} ${message}` : `${path} ${message}`,
      ...(edge && { edge: edge.id }),
      ...(who !== undefined && { node: who }),
      fixes: [...(who === undefined ? [] : [addFix(who)]), ...drop],
    };
  });
}

function nobody({ system, model }: ProblemInput): SystemProblem[] {
  if (system.agents.length > 0 || model.nodes.length > 0) return [];
  const message = 'The system has no agents yet; it needs one to run';
  return [{ id: 'empty', severity: 'info', path: 'spec.agents', message, fixes: [] }];
}

function unreachable({ system, model, facts }: ProblemInput): SystemProblem[] {
  const entry = model.nodes.find(({ entry: is }) => is);
  const there = ({ id }: SystemNode) => facts.get(id)?.state !== 'missing';
  const last = [...model.nodes].reverse().find((node) => node.reachable && node.terminal && there(node)) ?? entry;
  return model.nodes
    .filter((node) => node.listed && !node.reachable)
    .map((node): SystemProblem => {
      const joinIn: Fix[] = last ? [{ label: `Connect ${last.id} to it`, apply: (text) => connect(text, last.id, node.id) }] : [];
      return {
        id: `unreachable ${node.id}`,
        severity: 'warning',
        node: node.id,
        path: listed(system, node.id),
        message: `${node.id} never runs: no path from an entry agent reaches it`,
        fixes: [...joinIn, removeFix(node.id)],
      };
    });
}

function joins({ system, model }: ProblemInput): SystemProblem[] {
  return model.nodes.flatMap((node): SystemProblem[] => {
    const join = system.graph?.[node.id]?.join;
    if (!join) return [];
    const path = `${atKey('spec.graph', node.id)}.join`;
    const inputs = node.sources.length;
    const at = { severity: 'warning', node: node.id } as const;
    if (join.mode === 'quorum' && join.quorum_count > inputs) {
      const all = (text: string) => setJoin(text, node.id, { ...join, quorum_count: Math.max(1, inputs) });
      const message = `${node.id} requires ${join.quorum_count} of ${inputs} ${inputs === 1 ? 'source' : 'sources'}; it will continue when all have arrived`;
      return [
        {
          ...at,
          id: `quorum ${node.id}`,
          path: `${path}.quorum_count`,
          message,
          fixes: [{ label: `Require ${Math.max(1, inputs)}`, apply: all }],
        },
      ];
    }
    if (join.mode === 'quorum' && join.quorum_count === 0 && join.quorum_percent === 0) {
      const most = (text: string) => setJoin(text, node.id, { ...join, quorum_percent: 51 });
      const message = `${node.id} joins by quorum but names none; it waits for all`;
      return [{ ...at, id: `quorum ${node.id}`, path, message, fixes: [{ label: 'Require more than half', apply: most }] }];
    }
    if (inputs === 0) {
      const drop = (text: string) => setJoin(text, node.id, undefined);
      return [
        {
          ...at,
          id: `join ${node.id}`,
          path,
          message: `${node.id} has a join, but nothing leads to it`,
          fixes: [{ label: 'Remove the join', apply: drop }],
        },
      ];
    }
    return [];
  });
}

function absent({ system, facts, missing }: ProblemInput): SystemProblem[] {
  const agents = [...facts].flatMap(([agent, { state }]): SystemProblem[] =>
    state !== 'missing'
      ? []
      : [
          {
            id: `agent ${agent}`,
            severity: 'error',
            node: agent,
            path: listed(system, agent),
            message: `There is no agent ${agent}`,
            fixes: [...(agent.includes('/') ? [] : [makeFix([agent], `Create ${agent}`)]), removeFix(agent)],
          },
        ],
  );
  const references = missing.map(({ agent, object, path }): SystemProblem => ({
    id: `reference ${agent} ${object} ${path}`,
    severity: 'error',
    node: agent,
    path: listed(system, agent),
    message: `${agent} needs ${object}, which does not exist`,
    fixes: [],
  }));
  return [...agents, ...references];
}

function unrunnableTools({ system, unrunnable }: ProblemInput): SystemProblem[] {
  return unrunnable.map(({ agent, tool, message }) => ({
    id: `tool ${agent} ${tool}`,
    severity: 'warning',
    node: agent,
    path: listed(system, agent),
    message: `${agent} lists a tool that cannot run: ${message}`,
    fixes: [],
  }));
}

function cycles({ model }: ProblemInput): SystemProblem[] {
  if (!model.cycle) return [];
  const round = [...model.cycle, model.cycle[0]].join(' → ');
  const back = model.edges.find(
    ({ kind, source, target }) => kind === 'loop-back' && model.cycle?.includes(source) && model.cycle.includes(target),
  );
  const node = model.cycle[0];
  return [
    {
      id: `cycle ${round}`,
      severity: 'info',
      path: back ? fieldPath(back) : 'spec.graph',
      message: `A loop: ${round}. Each run of the system must set max_turns, a field of the Run dialog`,
      ...(back ? { edge: back.id } : node !== undefined && { node }),
      fixes: [],
    },
  ];
}

/** A place of the kind's rules on the canvas. */
function placed(model: SystemGraphModel, path: string): { readonly node?: string; readonly edge?: string } {
  const edge = model.edges.find((each) => path.startsWith(fieldPath(each)) && each.field !== 'implied');
  const node: SystemNode | undefined = model.nodes.find(({ id }) => path.startsWith(`${atKey('spec.graph', id)}.`));
  return edge ? { edge: edge.id } : node ? { node: node.id } : {};
}

function ruleProblems({ rules, model }: ProblemInput): SystemProblem[] {
  return rules.map(({ path, message }) => ({
    id: `rule ${path} ${message}`,
    severity: 'error',
    path,
    message: `${path} ${message}`,
    fixes: [],
    ...placed(model, path),
  }));
}

const UNSET: Readonly<Record<string, string>> = {
  'spec.model_ref': 'has no model yet',
  'spec.auth.secretRef': 'needs an API key',
  'spec.base_url': 'needs an address',
};

/** Errors of drafts. An empty field has a sentence of its own, because most drafts begin with one. */
function draftProblems({ drafted = [], system }: ProblemInput): SystemProblem[] {
  return drafted.map(({ kind, name, agent, path, message }) => ({
    id: `draft ${kind} ${name} ${path} ${message}`,
    severity: 'error',
    path: agent === undefined ? 'spec' : listed(system, agent),
    ...(agent !== undefined && { node: agent }),
    message: UNSET[path] === undefined ? `${name}: ${path} ${message}` : `${name} ${UNSET[path]}`,
    fixes: [],
  }));
}

/** Fixes of all missing agents in one step; none where there are not several. */
export function fixesOfUnknown(problems: readonly SystemProblem[]): readonly Fix[] {
  const unknown = problems.flatMap(({ id, node }) => (node !== undefined && id === `agent ${node}` ? [node] : []));
  if (unknown.length < 2) return [];
  const here = unknown.filter((agent) => !agent.includes('/'));
  return [
    ...(here.length > 1 ? [makeFix(here, `Create all ${here.length} agents`)] : []),
    { label: `Remove all ${unknown.length} unknown agents`, apply: (text) => removeAgents(text, unknown) },
  ];
}

const WEIGHT = { error: 0, warning: 1, info: 2 } as const;

/** The worst first. */
export function problemsOf(input: ProblemInput): SystemProblem[] {
  const all = [ruleProblems, nobody, strangers, absent, draftProblems, unrunnableTools, unreachable, joins, cycles].flatMap((find) =>
    find(input),
  );
  return all.sort((a, b) => WEIGHT[a.severity] - WEIGHT[b.severity]);
}

/** Marks for the canvas: the worst problem of each agent and route. */
export function problemMarks(problems: readonly SystemProblem[]): ReadonlyMap<string, GraphProblem> {
  const marks = new Map<string, GraphProblem>();
  for (const problem of problems) {
    if (problem.severity === 'info') continue;
    for (const key of [problem.node, problem.edge]) if (key !== undefined && !marks.has(key)) marks.set(key, problem);
  }
  return marks;
}

/** `Tool invoice-delete`; with its namespace where that differs. */
export function describeRef(ref: { readonly kind: string; readonly namespace: string; readonly name: string }, namespace: string): string {
  return `${ref.kind} ${ref.namespace === namespace ? '' : `${ref.namespace}/`}${ref.name}`;
}
