// `status.join_states[]`: sources of each join and the time of its release.
import type { JoinStateEntry } from '@svc/shared/kinds/task/records';
import { restoredSnapshot } from '../core/restore.ts';
import type { DataOf, Entry, HandOver, JoinSource } from '../core/entries.ts';
import { graphPlan } from '../core/graph-plan.ts';
import { requiredOf } from '../core/joins.ts';
import type { RunSnapshot } from '../core/snapshot.ts';

/** `late`: its message came after a quorum had released the node, and was skipped. */
type JoinSourceRecord = Omit<JoinSource, 'state'> & { readonly state: JoinSource['state'] | 'late' };

interface JoinRecord extends JoinStateEntry {
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

/** Sorts what arrives at joins into activations: the one it is late for, or the open one. */
function createArrivals(openJoin: (node: string) => JoinRecord | undefined) {
  /** Last activation of each node, while some of its sources can still arrive late. */
  const released = new Map<string, JoinRecord>();
  /** Messages from sources that are late for that activation, by id: they are late, or of the next round. */
  const undecided = new Map<string, { readonly node: string; readonly source: JoinSource }>();

  const missedBy = (node: string, { agent }: JoinSource): JoinRecord | undefined => {
    const before = released.get(node);
    return before?.sources.some((known) => known.agent === agent && known.state === 'pending') ? before : undefined;
  };
  const fill = (record: JoinRecord | undefined, source: JoinSourceRecord) => {
    if (!record) return;
    record.sources = record.sources.map((known) => (known.agent === source.agent && known.state === 'pending' ? source : known));
  };
  return {
    arrived(agent: string, handOvers: readonly HandOver[]) {
      for (const { to_agent: node, message_id, branch_id } of handOvers) {
        const source: JoinSource = { agent, state: 'arrived', message_id, branch_id };
        if (missedBy(node, source)) undecided.set(message_id, { node, source });
        else fill(openJoin(node), source);
      }
    },
    failed: (node: string, source: JoinSource) => fill(missedBy(node, source) ?? openJoin(node), source),
    decided(messageId: string, late: boolean) {
      const message = undecided.get(messageId);
      if (!message) return;
      const { node, source } = message;
      if (late) fill(missedBy(node, source), { ...source, state: 'late' });
      else fill(openJoin(node), source);
    },
    released: (record: JoinRecord) => released.set(record.node, record),
    clear() {
      released.clear();
      undecided.clear();
    },
  };
}

export function createJoinView(): JoinView {
  const items: JoinRecord[] = [];
  const open = new Map<string, JoinRecord>();
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
  const arrivals = createArrivals(openJoin);
  const close = (data: Pick<DataOf<'join.released'>, 'node' | 'sources'>, fields: Partial<JoinRecord>) => {
    const record = openJoin(data.node);
    open.delete(data.node);
    if (!record) return;
    Object.assign(record, { sources: [...data.sources] }, fields);
    if (record.activated) arrivals.released(record);
  };
  const add = (entry: Entry) => {
    switch (entry.type) {
      case 'run.restored':
        [snapshot, attempt] = [restoredSnapshot(entry.data), entry.data.attempt];
        return undefined;
      case 'run.started':
        ({ snapshot, attempt } = entry.data);
        open.clear();
        return arrivals.clear();
      case 'agent.completed':
        return arrivals.arrived(entry.data.agent, entry.data.hand_overs);
      case 'agent.failed': {
        const { disposition, agent, branch_id } = entry.data;
        if (disposition.kind === 'handed_over') arrivals.arrived(agent, disposition.hand_overs);
        if (disposition.kind === 'join') for (const node of disposition.nodes) arrivals.failed(node, { agent, state: 'failed', branch_id });
        return;
      }
      case 'message.skipped':
      case 'join.waiting':
        return arrivals.decided(entry.data.message_id, entry.type === 'message.skipped');
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
