// The routing graph of one run, with the questions joins ask of it answered once.
import type { JoinPolicy, NodeSnapshot, Route, RunSnapshot, SystemSnapshot } from './snapshot.ts';

const DEFAULT_JOIN: JoinPolicy = { mode: 'wait_for_all', quorumCount: 0, quorumPercent: 0, onFailure: 'deadletter' };

export interface GraphPlan {
  readonly routes: (node: string) => readonly Route[];
  /** Nodes with a route to `node`, in bytewise order. */
  readonly sources: (node: string) => readonly string[];
  readonly join: (node: string) => JoinPolicy;
  /** True when messages are collected before the agent runs: several nodes lead here, or one does and the node declares a join. */
  readonly isJoin: (node: string) => boolean;
  /** Whether a run that is at `from` may still come to `source` without passing through `node`. */
  readonly mayReach: (node: string, source: string, from: string) => boolean;
}

const plans = new WeakMap<RunSnapshot, GraphPlan>();

/** The plan of a snapshot; the same object for the same snapshot. */
export function graphPlan(snapshot: RunSnapshot): GraphPlan {
  const known = plans.get(snapshot);
  if (known) return known;
  const plan = buildPlan(snapshot.system);
  plans.set(snapshot, plan);
  return plan;
}

function buildPlan(system: SystemSnapshot): GraphPlan {
  const node = (name: string): NodeSnapshot | undefined => system.nodes[name];
  const sources = new Map<string, string[]>();
  for (const name of Object.keys(system.nodes).sort()) {
    for (const { to } of system.nodes[name]?.routes ?? []) {
      const known = sources.get(to);
      if (!known) sources.set(to, [name]);
      else if (known.at(-1) !== name) known.push(name);
    }
  }
  const sourcesOf = (name: string) => sources.get(name) ?? [];
  const ancestors = new Map<string, ReadonlySet<string>>();
  const ancestorsAvoiding = (avoided: string, of: string) => {
    const key = `${avoided}\u0000${of}`;
    const known = ancestors.get(key) ?? collectAncestors(of, avoided, sourcesOf);
    ancestors.set(key, known);
    return known;
  };
  return {
    routes: (name) => node(name)?.routes ?? [],
    sources: sourcesOf,
    join: (name) => node(name)?.join ?? DEFAULT_JOIN,
    isJoin: (name) => sourcesOf(name).length > (node(name)?.join ? 0 : 1),
    mayReach: (name, source, from) => from !== name && ancestorsAvoiding(name, source).has(from),
  };
}

/** `of` and everything with a path to it that does not pass through `avoided`. */
function collectAncestors(of: string, avoided: string, sourcesOf: (node: string) => readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [of];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === avoided || found.has(next)) continue;
    found.add(next);
    open.push(...sourcesOf(next));
  }
  return found;
}
