// `status.join_states[]`: what each join collected and when it was released. Source: DECISIONS section 3.
import type { DataOf, Entry, HandOver, JoinSource } from '../core/entries.ts';
import { graphPlan } from '../core/graph-plan.ts';
import { requiredOf } from '../core/joins.ts';
import type { RunSnapshot } from '../core/snapshot.ts';

export interface JoinRecord {
  attempt: number;
  node: string;
  mode: string;
  expected: number;
  quorum_required: number;
  activated: boolean;
  activated_at?: string;
  activated_by?: string;
  sources: JoinSource[];
}

export interface JoinView {
  readonly add: (entry: Entry) => void;
  readonly items: JoinRecord[];
}

export function createJoinView(): JoinView {
  const items: JoinRecord[] = [];
  const open = new Map<string, JoinRecord>();
  let snapshot: RunSnapshot | undefined;
  let attempt = 0;

  const openJoin = (node: string): JoinRecord | undefined => {
    if (!snapshot) return undefined;
    const plan = graphPlan(snapshot);
    if (!plan.isJoin(node)) return undefined;
    const known = open.get(node);
    if (known) return known;
    const sources = plan.sources(node).map((agent): JoinSource => ({ agent, state: 'pending' }));
    const policy = plan.join(node);
    const record = {
      attempt,
      node,
      mode: policy.mode,
      expected: sources.length,
      quorum_required: requiredOf(policy, sources.length),
      activated: false,
      sources,
    };
    open.set(node, record);
    items.push(record);
    return record;
  };
  const mark = (node: string, source: JoinSource) => {
    const record = openJoin(node);
    if (record)
      record.sources = record.sources.map((known) => (known.agent === source.agent && known.state === 'pending' ? source : known));
  };
  const arrived = (agent: string, handOvers: readonly HandOver[]) => {
    for (const { to_agent, message_id, branch_id } of handOvers) mark(to_agent, { agent, state: 'arrived', message_id, branch_id });
  };
  const close = (data: Pick<DataOf<'join.released'>, 'node' | 'sources'>, fields: Partial<JoinRecord>) => {
    const record = openJoin(data.node);
    open.delete(data.node);
    if (record) Object.assign(record, { sources: [...data.sources] }, fields);
  };
  const add = (entry: Entry) => {
    switch (entry.type) {
      case 'run.started':
        ({ snapshot, attempt } = entry.data);
        return open.clear();
      case 'agent.completed':
        return arrived(entry.data.agent, entry.data.hand_overs);
      case 'agent.failed': {
        const { disposition, agent, branch_id } = entry.data;
        if (disposition.kind === 'handed_over') arrived(agent, disposition.hand_overs);
        if (disposition.kind === 'join') for (const node of disposition.nodes) mark(node, { agent, state: 'failed', branch_id });
        return;
      }
      case 'join.released': {
        const { expected, quorum_required, activated_by } = entry.data;
        const activated_at = new Date(entry.at).toISOString();
        return close(entry.data, { expected, quorum_required, activated: true, activated_at, activated_by });
      }
      case 'join.skipped':
        return close(entry.data, { expected: 0, quorum_required: 0 });
      default:
        return;
    }
  };
  return { add, items };
}
