// The rules of a graph at the start of a Task. Pure. Source: SPEC "AgentSystem" rules.
import { targetsOf, type NodeSpec } from './snapshot-settings.ts';

export interface GraphQuestion {
  readonly agents: readonly string[];
  readonly nodes: Readonly<Record<string, NodeSpec>>;
  readonly maxTurns: number;
}

/** One sentence per broken rule. */
export function graphProblems({ agents, nodes, maxTurns }: GraphQuestion): string[] {
  if (agents.length === 0) return ['the AgentSystem has no agents'];
  const listed = new Set(agents);
  const problems: string[] = [];
  for (const [name, node] of Object.entries(nodes)) {
    if (!listed.has(name)) problems.push(`graph node ${name} is not in spec.agents`);
    for (const to of targetsOf(node)) if (!listed.has(to)) problems.push(`the route ${name} -> ${to} leads to an agent that is not in spec.agents`);
  }
  if (isCyclic(nodes) && maxTurns <= 0) problems.push('the graph has a cycle, so spec.max_turns of the Task must be above 0');
  return problems;
}

export function listProblems(problems: ReadonlySet<string>): string[] {
  return [...problems].sort();
}

function isCyclic(nodes: Readonly<Record<string, NodeSpec>>): boolean {
  const done = new Set<string>();
  const onPath = new Set<string>();
  const visit = (name: string): boolean => {
    if (onPath.has(name)) return true;
    if (done.has(name)) return false;
    onPath.add(name);
    const node = nodes[name];
    const found = node !== undefined && targetsOf(node).some(visit);
    onPath.delete(name);
    done.add(name);
    return found;
  };
  return Object.keys(nodes).some(visit);
}
