// Objects of a trial at the versions that `spec.trial.versions` pins. A pin never widens rights: the tools, roles and memory of an agent, and the
// reviews of a system, are at most the current ones. A version with more is refused, with the reason among the problems of the run.
import type { AgentSystemSpec, GraphNode } from '@svc/shared/kinds/agent-system/rules';
import { readSpec, specOf } from '@svc/shared/kinds/read';
import { PINNED_KINDS } from '@svc/shared/kinds/task/trial-limits';
import { describeKey, parseRef, type ResourceKey } from '@svc/shared/resource';
import type { StoredObject, StoreReader } from '../../store/store.ts';

type GetObject = (key: ResourceKey) => Promise<StoredObject | undefined>;

interface Pin {
  readonly kind: string;
  /** As name or namespace/name. */
  readonly name: string;
  readonly generation?: number | undefined;
}

export interface PinnedObjects {
  /** Today's object, with the spec of its pinned version. Adds a sentence to the problems for a version that cannot be run. */
  readonly get: GetObject;
  /** Adds a sentence for each pin of an object that the run never read. */
  readonly refuseUnused: () => void;
}

interface Place {
  readonly reader: StoreReader;
  readonly task: StoredObject;
  readonly problems: Set<string>;
}

export function pinnedObjects(get: GetObject, { reader, task, problems }: Place): PinnedObjects {
  const pins: readonly Pin[] = specOf('Task', task).trial?.versions ?? [];
  if (pins.length === 0) return { get, refuseUnused: () => undefined };
  const named = pins.map(({ kind, name, generation = 0 }) => ({
    kind,
    key: describeKey({ kind, ...parseRef(name, task.namespace) }),
    generation,
  }));
  const known: readonly string[] = PINNED_KINDS;
  const wanted = new Map(named.filter(({ kind }) => known.includes(kind)).map(({ key, generation }) => [key, generation] as const));
  const unused = new Set(named.map(({ key }) => key));
  return {
    async get(key) {
      const name = describeKey(key);
      const generation = wanted.get(name);
      const current = await get(key);
      if (generation !== undefined) unused.delete(name);
      if (generation === undefined || !current || current.generation === generation) return current;
      const version = await reader.getVersion(current.uid, generation);
      if (version) return atVersion(current, { generation, spec: version.spec }, problems);
      problems.add(`${name} has no version ${generation}: it never existed or is no longer kept; list its versions to see those that are`);
      return current;
    },
    refuseUnused() {
      for (const name of unused) problems.add(`spec.trial.versions names ${name}, which is not part of the run`);
    },
  };
}

interface Version {
  readonly generation: number;
  readonly spec: StoredObject['spec'];
}

function atVersion(current: StoredObject, { generation, spec }: Version, problems: Set<string>): StoredObject {
  const pinned = { ...current, generation, spec };
  const version = `version ${generation} of ${describeKey(current)}`;
  if (current.kind !== 'AgentSystem') {
    for (const problem of addedRights(current, pinned)) problems.add(`${version} ${problem}`);
    return pinned;
  }
  // A damaged part is left out, and could be a review.
  for (const { path, message } of [current, pinned].flatMap((object) => readSpec('AgentSystem', object).problems))
    problems.add(`${version} or the current version: ${path} ${message}`);
  const reviewed = withReviewsOf(specOf('AgentSystem', current), specOf('AgentSystem', pinned));
  for (const node of reviewed.unplaced)
    problems.add(
      `${version} has no place for the review of ${node}, which the current system has; pin a version with that agent in its graph`,
    );
  return { ...pinned, spec: reviewed.spec };
}

const LESS = 'a pinned version has no more rights than the current Agent';

/** Rights of an Agent that its present spec lacks, one sentence each. */
function addedRights(current: StoredObject, pinned: StoredObject): string[] {
  const [now, then] = [specOf('Agent', current), specOf('Agent', pinned)];
  const added = (given: readonly string[] = [], held: readonly string[] = []) => {
    const full = (ref: string) => describeKey({ kind: '', ...parseRef(ref, current.namespace) });
    const known = new Set(held.map(full));
    return given.filter((ref) => !known.has(full(ref)));
  };
  const sentences = (what: string, refs: readonly string[]) =>
    refs.map((ref) => `has the ${what} ${ref}, which the current Agent lacks: ${LESS}`);
  const ref = then.memory?.ref;
  return [
    ...sentences('tool', added(then.tools, now.tools)),
    ...sentences('allowed tool', added(then.allowed_tools, now.allowed_tools)),
    ...sentences('role', added(then.roles, now.roles)),
    ...sentences('Memory', ref === undefined ? [] : added([ref], now.memory?.ref === undefined ? [] : [now.memory.ref])),
    ...sentences('memory operation', added(then.memory?.allow, now.memory?.allow)),
  ];
}

/** The graph of a version with the current reviews; its own reviews stay where the current graph has none. */
function withReviewsOf(now: AgentSystemSpec, then: AgentSystemSpec): { readonly spec: StoredObject['spec']; readonly unplaced: string[] } {
  const reviewed = Object.entries((now.graph ?? {}) as Readonly<Record<string, GraphNode>>).filter(
    ([, { review }]) => review !== undefined,
  );
  const graph = { ...(then.graph as Readonly<Record<string, GraphNode>> | undefined) };
  const unplaced: string[] = [];
  for (const [name, { review }] of reviewed) {
    const node = Object.hasOwn(graph, name) ? graph[name] : undefined;
    if (node) graph[name] = { ...node, review } as GraphNode;
    else unplaced.push(name);
  }
  const completion = now.completion_review ?? then.completion_review;
  return {
    spec: { ...then, ...(then.graph && { graph }), ...(completion && { completion_review: completion }) },
    unplaced,
  };
}
