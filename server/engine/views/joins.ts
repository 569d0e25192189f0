// `status.join_states[]`: sources of each join and the time of its release.
import { restoredSnapshot } from '../core/restore.ts';
import type { DataOf, Entry, HandOver, JoinSource } from '../core/entries.ts';
import { graphPlan } from '../core/graph-plan.ts';
import { requiredOf } from '../core/joins.ts';
import type { RunSnapshot } from '../core/snapshot.ts';

/** `late`: its message came after a quorum had released the node, and was skipped. */
type JoinSourceRecord = Omit<JoinSource, 'state'> & { readonly state: JoinSource['state'] | 'late' };

interface JoinRecord {
  attempt: number;
  node: string;
  mode: string;
  expected: number;
  quorum_required: number;
  activated: boolean;
  activated_at?: string;
  activated_by?: string;
  sources: JoinSourceRecord[];
}

export interface JoinView {
  readonly add: (entry: Entry) => void;
  readonly items: JoinRecord[];
}

function newRecord(snapshot: RunSnapshot, attempt: number, node: string): JoinRecord {
  const plan = graphPlan(snapshot);
  const sources = plan.sources(node).map((agent): JoinSource => ({ agent, state: 'pending' }));
  const policy = plan.join(node);
  const quorum_required = requiredOf(policy, sources.length);
  return { attempt, node, mode: policy.mode, expected: sources.length, quorum_required, activated: false, sources };
}

export function createJoinView(): JoinView {
  const items: JoinRecord[] = [];
  const open = new Map<string, JoinRecord>();
  /** The last activation of each node, as long as sources are late for it. */
  const released = new Map<string, JoinRecord>();
  let snapshot: RunSnapshot | undefined;
  let attempt = 0;

  const openJoin = (node: string): JoinRecord | undefined => {
    if (!snapshot || !graphPlan(snapshot).isJoin(node)) return undefined;
    const known = open.get(node);
    if (known) return known;
    const record = newRecord(snapshot, attempt, node);
    open.set(node, record);
    items.push(record);
    return record;
  };
  const fill = (record: JoinRecord, source: JoinSourceRecord) => {
    record.sources = record.sources.map((known) => (known.agent === source.agent && known.state === 'pending' ? source : known));
  };
  const mark = (node: string, source: JoinSource) => {
    const before = released.get(node);
    if (before?.sources.some(({ agent, state }) => agent === source.agent && state === 'pending'))
      return fill(before, source.state === 'arrived' ? { ...source, state: 'late' } : source);
    const record = openJoin(node);
    if (record) fill(record, source);
  };
  const arrived = (agent: string, handOvers: readonly HandOver[]) => {
    for (const { to_agent, message_id, branch_id } of handOvers) mark(to_agent, { agent, state: 'arrived', message_id, branch_id });
  };
  const close = (data: Pick<DataOf<'join.released'>, 'node' | 'sources'>, fields: Partial<JoinRecord>) => {
    const record = openJoin(data.node);
    open.delete(data.node);
    if (!record) return;
    Object.assign(record, { sources: [...data.sources] }, fields);
    if (record.activated) released.set(data.node, record);
  };
  const add = (entry: Entry) => {
    switch (entry.type) {
      case 'run.restored':
        [snapshot, attempt] = [restoredSnapshot(entry.data), entry.data.attempt];
        return undefined;
      case 'run.started':
        ({ snapshot, attempt } = entry.data);
        open.clear();
        return released.clear();
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
