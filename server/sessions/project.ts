// Journal entries of a turn's run as events of its Session: the one place that says what a reader of a conversation sees of a run.
import type { SessionEventType } from '@svc/shared/api/sessions';
import { runOutput } from '@svc/shared/kinds/task/run-output';
import { journalHead, foldJournal } from '../engine/shell/fold-journal.ts';
import type { DataOf, Entry } from '../engine/core/entries.ts';
import { encodeState } from '../engine/core/state-codec.ts';
import type { RunState } from '../engine/core/state.ts';
import { cutText } from '../engine/views/cut.ts';
import { readEntries } from '../engine/views/read-journal.ts';
import { endNote } from '../engine/views/trace.ts';
import type { StoreReader } from '../store/store.ts';
import type { SafeState } from './checkpoints.ts';
import type { SessionDraft } from './draft.ts';
import type { TurnRecord } from './records.ts';
import { Speech } from './speech.ts';

export interface RunEvent {
  readonly type: SessionEventType;
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * Whether the text of an agent is shown as it comes: only that of agents without an outgoing route, because the others hand over to them, and
 * only where nobody reviews it. A reviewed answer is shown whole once the run has completed.
 */
export function speaks({ attempt }: Pick<RunState, 'attempt'>, agent: string): boolean {
  if (attempt === undefined) return false;
  const { nodes, completionReview } = attempt.snapshot.system;
  const node = nodes[agent];
  return (node?.routes.length ?? 0) === 0 && node?.review === undefined && completionReview === undefined;
}

/** Events of one entry, in order; changes the speech. */
export function eventsOf(entry: Entry, speech: Speech, isSpeaker: (agent: string) => boolean): RunEvent[] {
  switch (entry.type) {
    case 'model.completed': {
      const { turn_id: turn, agent, tool_calls: calls, content } = entry.data;
      if (!isSpeaker(agent)) return [];
      speech.introduce(turn, agent);
      const said = speech.align(turn, content);
      return calls.length > 0 ? [...said, ...speech.takeBack(turn, 'step')] : said;
    }
    case 'model.failed':
      return speech.takeBack(entry.data.turn_id, 'retry');
    case 'agent.failed':
      return speech.takeBack(entry.data.turn_id, 'failed');
    case 'agent.completed':
      return isSpeaker(entry.data.agent) ? speech.finish(entry.data.turn_id, entry.data.output) : [];
    case 'tool.requested': {
      const { tool, request_id, agent, input } = entry.data;
      return [{ type: 'tool.started', payload: { tool, request_id, agent, input } }];
    }
    case 'tool.completed':
      return entry.data.source === 'route' ? [] : [toolCompleted(entry.data)];
    case 'tool.failed':
      return [toolCompleted(entry.data)];
    case 'approval.requested':
      return [
        {
          type: 'approval.requested',
          payload: { kind: 'ToolApproval', name: entry.data.name, agent: entry.data.agent, reason: entry.data.why ?? entry.data.reason },
        },
      ];
    case 'approval.resolved':
      return [resolved('ToolApproval', entry.data)];
    case 'review.requested':
      return [{ type: 'approval.requested', payload: { kind: 'TaskApproval', name: entry.data.name, reason: entry.data.why } }];
    case 'review.resolved':
      return [resolved('TaskApproval', entry.data)];
    case 'run.retry_scheduled':
      return [{ type: 'turn.retrying', payload: { reason: entry.data.message } }, ...speech.withdrawAll('retry')];
    case 'run.released':
      return entry.data.cause === 'shutdown' ? speech.withdrawAll('released') : [];
    case 'run.completed': {
      const { answer = '', agent } = runOutput(entry.data.output);
      return speech.settle(answer, agent);
    }
    case 'run.failed':
      return speech.withdrawAll('failed');
    default:
      return [];
  }
}

function toolCompleted(data: DataOf<'tool.completed'> | DataOf<'tool.failed'>): RunEvent {
  const { tool, request_id, latency_ms } = data;
  const failed = 'code' in data;
  const { text, truncated } = cutText(failed ? data.message : data.output);
  return {
    type: 'tool.completed',
    payload: { tool, request_id, output: text, ...(truncated && { truncated }), latency_ms, ...(failed && { error_code: data.code }) },
  };
}

type ResolvedApproval = Pick<DataOf<'approval.resolved'> | DataOf<'review.resolved'>, 'name' | 'decision' | 'decided_by'>;

function resolved(kind: string, { name, decision, decided_by }: ResolvedApproval): RunEvent {
  return { type: 'approval.resolved', payload: { kind, name, decision, ...(decided_by !== undefined && { decided_by }) } };
}

/** Ends of approvals that the stream shows as open, for a turn that ends without their decision. */
export async function approvalEnds(reader: StoreReader, { task, eventsUpTo = Infinity }: TurnRecord): Promise<RunEvent[]> {
  const open = new Map<string, RunEvent>();
  if (!task) return [];
  for await (const { seq, entry } of readEntries(reader, task.uid)) {
    if (seq > eventsUpTo) break;
    const { type, data } = entry;
    if (type === 'approval.requested') open.set(data.name, resolved('ToolApproval', { name: data.name, decision: 'expired' }));
    else if (type === 'review.requested') open.set(data.name, resolved('TaskApproval', { name: data.name, decision: 'expired' }));
    else if (type === 'approval.resolved' || type === 'review.resolved') open.delete(data.name);
  }
  return [...open.values()];
}

/** The turn with the remark on the end of a branch that this entry of its run records, if any. Entries that a Session records pass here in their order. */
export function noteEnd(turn: TurnRecord, { type, data }: Entry): TurnRecord {
  const note = type === 'agent.completed' ? endNote(data) : undefined;
  if (type !== 'agent.completed' || note === undefined || !turn.task) return turn;
  const { attempt, agent } = data;
  const texts = new Set([...notesOf(turn, attempt), `${agent}: ${note}`]);
  return { ...turn, notes: { run: turn.task.uid, attempt, texts: [...texts] } };
}

/** Remarks on the ends of branches of this attempt. */
export const notesOf = ({ task, notes }: TurnRecord, attempt: number | undefined): readonly string[] =>
  notes !== undefined && notes.run === task?.uid && notes.attempt === attempt ? notes.texts : [];

/** The last entry of a turn's run that is in the stream when its Session is paused now. */
export async function eventsUpTo(reader: StoreReader, { task }: TurnRecord): Promise<number> {
  return task ? journalHead(reader, task.uid) : 0;
}

/** Emits the events that a pause held back, of entries from after the pause up to `upTo`. */
export async function emitHeldBack(
  draft: SessionDraft,
  turn: TurnRecord,
  { state, upTo }: { readonly state: RunState; readonly upTo: number },
): Promise<TurnRecord> {
  const { eventsUpTo: after, ...shown } = turn;
  if (!shown.task || after === undefined) return shown;
  const speech = new Speech();
  let noted: TurnRecord = shown;
  for await (const placed of readEntries(draft.tx, shown.task.uid, after)) {
    if (placed.seq > upTo) break;
    for (const { type, payload } of eventsOf(placed.entry, speech, (agent) => speaks(state, agent))) draft.emit(type, payload, { turn });
    noted = noteEnd(noted, placed.entry);
  }
  return noted;
}

/** The same for a run that ended during the pause. Returns the turn, and the state of a run that has completed. */
export async function replayEnded(
  draft: SessionDraft,
  turn: TurnRecord,
): Promise<{ readonly turn: TurnRecord; readonly safe?: SafeState }> {
  if (!turn.task || turn.eventsUpTo === undefined) return { turn };
  const { state, lastSeq: seq } = await foldJournal(draft.tx, turn.task.uid);
  const noted = await emitHeldBack(draft, turn, { state, upTo: seq });
  if (state.end?.failure) return { turn: noted };
  const notes = notesOf(noted, state.attempt?.number);
  const agent = runOutput(state.end?.output).agent ?? '';
  return { turn: noted, safe: { safePoint: 'turn.completed', agent, encoded: encodeState(state), seq, notes } };
}
