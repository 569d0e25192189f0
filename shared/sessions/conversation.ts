// Events of a Session folded into a conversation that a person reads: turns with text, tool calls and approvals. Pure; shared by the
// console and svcctl.
import type { SafePoint, SessionEvent, SessionEventType, SessionUsage, Turn, TurnPhase } from '../api/sessions.ts';
import { isObject } from '../json.ts';
import type { SessionPhase } from '../kinds/session/schema.ts';
import { StartedTurns, type RewindEffect, type StartedTurn } from './started-turns.ts';

export interface ToolCallPart {
  readonly type: 'tool';
  readonly requestId: string;
  readonly tool: string;
  readonly agent?: string;
  readonly input: unknown;
  readonly at: string;
  /** Absent while the call is in flight. */
  readonly result?: {
    readonly output: string;
    readonly truncated: boolean;
    readonly latencyMs?: number;
    readonly errorCode?: string;
  };
}

export interface ApprovalPart {
  readonly type: 'approval';
  readonly kind: 'ToolApproval' | 'TaskApproval';
  readonly name: string;
  readonly reason?: string;
  readonly agent?: string;
  /** Absent while a person has to decide. */
  readonly decision?: string;
  readonly decidedBy?: string;
}

/** Text that was shown and withdrawn: from before a tool call, or of a repeated attempt. */
export interface WithdrawnPart {
  readonly type: 'withdrawn';
  readonly text: string;
  readonly reason: string;
  readonly agent?: string;
}

export interface NoticePart {
  readonly type: 'notice';
  readonly notice: 'retrying' | 'recovered' | 'error';
  readonly text: string;
}

/** Parts keep their place; a part that changes is replaced by a new object. */
export type TurnPart = ToolCallPart | ApprovalPart | WithdrawnPart | NoticePart;

/** `paused`: the Session was paused in the middle of the turn. `retrying`: no worker has continued it yet. */
export type TurnActivity = 'waiting' | 'working' | 'retrying' | 'paused' | 'over';

/** One message of a person and its answer. Mutable: `revision` changes with every change of the turn. */
export interface ConversationTurn extends StartedTurn<ConversationTurn> {
  readonly id: string;
  content: string;
  /** From 1; 0 before its `turn.queued`. */
  sequence: number;
  phase: TurnPhase;
  activity: TurnActivity;
  readonly createdAt: string;
  startedAt?: string;
  endedAt?: string;
  task?: string;
  worker?: string;
  attempt: number;
  readonly parts: TurnPart[];
  /** The answer: tentative until `final`. */
  text: string;
  final: boolean;
  /** The agent that speaks, where the events name it. */
  agent?: string;
  usage?: SessionUsage;
  /** Remarks on the run that answered, such as a loop that max_turns ended. */
  remarks?: readonly string[];
  error?: string;
  errorCode?: string;
  cancelReason?: string;
  /** Checkpoint that it continues, after a rewind or a fork inside of a turn. */
  continues?: string;
}

/** A checkpoint as its events describe it. */
export interface CheckpointMark {
  readonly id: string;
  readonly turnId: string;
  readonly safePoint: SafePoint;
  readonly seq: number;
  readonly at: string;
  readonly pruned: boolean;
}

export interface ForkOrigin {
  readonly checkpointId: string;
  readonly namespace: string;
  readonly name: string;
}

/** Facts of the Session between two turns. */
export interface ConversationNote {
  readonly seq: number;
  readonly type: SessionEventType;
  readonly at: string;
  readonly reason?: string;
  readonly checkpointId?: string;
  /** The last turn when it happened. */
  readonly afterTurn?: string;
}

const NOTED: ReadonlySet<SessionEventType> = new Set([
  'session.paused',
  'session.resumed',
  'session.cancelled',
  'session.completed',
  'session.expired',
  'session.rewound',
  'session.forked',
]);
const ENDED: ReadonlySet<SessionPhase> = new Set(['Cancelled', 'Completed', 'Expired']);
const TURN_OVER: ReadonlySet<TurnPhase> = new Set(['Succeeded', 'Failed', 'Cancelled']);

/**
 * The conversation so far. `apply` costs the same for every event, however many came before; a rewind costs the turns it changes, and an
 * interrupting turn those that wait.
 */
export class Conversation {
  /** Those that started in that order, then those that wait in the order of submission. */
  readonly turns: ConversationTurn[] = [];
  readonly notes: ConversationNote[] = [];
  readonly checkpoints = new Map<string, CheckpointMark>();
  /** Sequence number of the last event. */
  lastSeq = 0;
  phase: SessionPhase = 'WaitingInput';
  origin: ForkOrigin | undefined;
  readonly #started = new StartedTurns<ConversationTurn>();
  readonly #turns = new Map<string, ConversationTurn>();
  /** Place of open calls and approvals in their turn. */
  readonly #places = new Map<string, number>();
  #active: ConversationTurn | undefined;
  #openApprovals = 0;

  /** Events at or before `lastSeq` change nothing, so a stream may repeat itself. Unknown types are skipped. */
  apply(event: SessionEvent): void {
    if (event.seq <= this.lastSeq) return;
    this.lastSeq = event.seq;
    if (event.type.startsWith('session.')) return this.#applySession(event);
    if (event.type === 'checkpoint.created' || event.type === 'checkpoint.pruned') return this.#applyCheckpoint(event);
    if (event.turn_id === undefined) return;
    const turn = this.#turns.get(event.turn_id) ?? this.#addTurn(event.turn_id, event.timestamp);
    turn.revision += 1;
    if (event.type.startsWith('turn.')) this.#applyTurn(turn, event);
    else if (event.type.startsWith('message.')) this.#applyMessage(turn, event);
    else this.#applyPart(turn, event);
  }

  /** Adds turns without events before all others: a fork copies its history without events. */
  addHistory(history: readonly Turn[]): void {
    const missing = history.filter(({ id }) => !this.#turns.has(id));
    if (missing.length === 0) return;
    this.turns.unshift(...missing.map((turn) => this.#historical(turn)));
  }

  turn(id: string): ConversationTurn | undefined {
    return this.#turns.get(id);
  }

  rewindEffect(turn: ConversationTurn, safePoint: SafePoint): RewindEffect<ConversationTurn> {
    return this.#started.rewindEffect(turn, safePoint);
  }

  /** The turn that has begun and is not over. */
  get active(): ConversationTurn | undefined {
    return this.#active;
  }

  get ended(): boolean {
    return ENDED.has(this.phase);
  }

  #addTurn(id: string, createdAt: string): ConversationTurn {
    const turn: ConversationTurn = {
      id,
      revision: 0,
      content: '',
      sequence: 0,
      phase: 'Queued',
      activity: 'waiting',
      createdAt,
      attempt: 0,
      parts: [],
      text: '',
      final: false,
      undone: false,
    };
    this.#turns.set(id, turn);
    this.turns.push(turn);
    return turn;
  }

  #historical(turn: Turn): ConversationTurn {
    const known: ConversationTurn = {
      id: turn.id,
      revision: 1,
      content: turn.content,
      sequence: turn.queue_sequence,
      phase: turn.phase,
      activity: TURN_OVER.has(turn.phase) ? 'over' : 'waiting',
      createdAt: turn.created_at,
      attempt: turn.attempt,
      parts: [],
      text: turn.output?.last_output ?? '',
      final: true,
      undone: turn.phase === 'Cancelled',
      order: 0,
      ...(turn.usage && { usage: turn.usage }),
      ...(turn.task_name !== undefined && { task: turn.task_name }),
      ...(turn.completed_at !== undefined && { endedAt: turn.completed_at }),
      ...(turn.last_error !== undefined && { error: turn.last_error }),
    };
    this.#turns.set(turn.id, known);
    return known;
  }

  #applySession({ type, seq, timestamp, payload }: SessionEvent): void {
    const { reason, checkpoint_id: checkpointId } = texts(payload);
    if (type === 'session.paused') this.#pause();
    else if (type === 'session.resumed') this.#resume();
    else if (type === 'session.cancelled') this.phase = 'Cancelled';
    else if (type === 'session.completed') this.phase = 'Completed';
    else if (type === 'session.expired') this.phase = 'Expired';
    else if (type === 'session.rewound') this.#rewind(checkpointId);
    else if (type === 'session.forked') this.#fork(payload);
    else if (type === 'session.recovered' && this.#active)
      this.#addPart(this.#active, { type: 'notice', notice: 'recovered', text: checkpointId ?? '' });
    // The start of a fork precedes its history, which is in none of its events: a note would stand above the first message.
    if (!NOTED.has(type) || reason === 'forked') return;
    const afterTurn = this.turns.at(-1)?.id;
    this.notes.push({
      seq,
      type,
      at: timestamp,
      ...(reason !== undefined && { reason }),
      ...(checkpointId !== undefined && { checkpointId }),
      ...(afterTurn !== undefined && { afterTurn }),
    });
  }

  #pause(): void {
    this.phase = 'Paused';
    if (!this.#active) return;
    this.#active.activity = 'paused';
    this.#active.revision += 1;
  }

  #resume(): void {
    this.phase = 'WaitingInput';
    if (!this.#active) return;
    this.#active.activity = 'waiting';
    this.#active.revision += 1;
  }

  #fork(payload: SessionEvent['payload']): void {
    this.phase = 'Paused';
    const { namespace = '', name = '' } = texts(payload['session']);
    this.origin = { checkpointId: texts(payload)['checkpoint_id'] ?? '', namespace, name };
  }

  /** A checkpoint without an event lies before every event: the history of a fork, or events that were not read. */
  #rewind(checkpointId: string | undefined): void {
    this.phase = 'Paused';
    this.#active = undefined;
    const mark = checkpointId === undefined ? undefined : this.checkpoints.get(checkpointId);
    const turn = mark && this.#turns.get(mark.turnId);
    this.#started.rewind(turn, mark?.safePoint ?? 'turn.completed');
  }

  #applyCheckpoint({ type, seq, timestamp, turn_id: turnId = '', payload }: SessionEvent): void {
    const { checkpoint_id: id = '', safe_point: safePoint } = texts(payload);
    const known = this.checkpoints.get(id);
    if (type === 'checkpoint.pruned') {
      if (known) this.checkpoints.set(id, { ...known, pruned: true });
      return;
    }
    this.checkpoints.set(id, { id, turnId, safePoint: (safePoint ?? 'turn.completed') as SafePoint, seq, at: timestamp, pruned: false });
  }

  #applyTurn(turn: ConversationTurn, { type, timestamp, attempt, payload }: SessionEvent): void {
    const { reason, error, code, worker, task, checkpoint_id: continues } = texts(payload);
    switch (type) {
      case 'turn.queued':
        turn.sequence = wholeNumber(payload['queue_sequence']) ?? turn.sequence;
        if (continues !== undefined) turn.continues = continues;
        // A new turn continues a Session whose last one failed.
        if (this.phase === 'Failed') this.phase = 'WaitingInput';
        return;
      case 'turn.started':
        this.#start(turn, timestamp);
        Object.assign(turn, { ...(worker !== undefined && { worker }), ...(task !== undefined && { task }) });
        turn.attempt = attempt ?? turn.attempt + 1;
        return;
      case 'turn.retrying':
        turn.activity = 'retrying';
        this.#addPart(turn, { type: 'notice', notice: 'retrying', text: reason ?? '' });
        return;
      case 'turn.completed':
        if (isObject(payload['usage'])) turn.usage = payload['usage'] as unknown as SessionUsage;
        if (Array.isArray(payload['notes'])) turn.remarks = payload['notes'].filter((note) => typeof note === 'string');
        return this.#end(turn, 'Succeeded', timestamp);
      case 'turn.failed':
        Object.assign(turn, { error: error ?? 'the turn failed', ...(code !== undefined && { errorCode: code }) });
        return this.#end(turn, 'Failed', timestamp);
      case 'turn.cancelled':
        if (reason !== undefined) turn.cancelReason = reason;
        return this.#end(turn, 'Cancelled', timestamp);
      default:
    }
  }

  #start(turn: ConversationTurn, at: string): void {
    if (turn.order === undefined) this.#append(turn);
    turn.startedAt ??= at;
    turn.phase = 'Running';
    turn.activity = 'working';
    this.phase = 'Running';
    this.#active = turn;
    this.#openApprovals = turn.parts.filter((part) => part.type === 'approval' && part.decision === undefined).length;
    if (this.#openApprovals > 0) this.#setPhase(turn, 'WaitingApproval');
  }

  /** Makes a turn that starts the last one of the conversation: it moves before turns that wait although they were submitted earlier. */
  #append(turn: ConversationTurn): void {
    this.#started.append(turn);
    const from = this.turns.lastIndexOf(turn);
    let to = from;
    for (let at = from - 1; this.turns[at]?.order === undefined && at >= 0; at -= 1) if (this.turns[at]?.activity === 'waiting') to = at;
    if (to < from) this.turns.splice(to, 0, ...this.turns.splice(from, 1));
  }

  #end(turn: ConversationTurn, phase: TurnPhase, at: string): void {
    turn.phase = phase;
    turn.activity = 'over';
    turn.endedAt = at;
    // Nobody can decide them now. A server of an older version sends no event about that.
    for (const [place, part] of turn.parts.entries())
      if (part.type === 'approval' && part.decision === undefined) turn.parts[place] = { ...part, decision: 'expired' };
    if (this.#active === turn) {
      this.#active = undefined;
      this.#openApprovals = 0;
    }
    if (this.ended || this.phase === 'Paused') return;
    if (phase === 'Failed') this.phase = 'Failed';
    else if (this.#active === undefined) this.phase = 'WaitingInput';
  }

  #applyMessage(turn: ConversationTurn, { type, payload }: SessionEvent): void {
    const { role, content, delta, agent, reason } = texts(payload);
    switch (type) {
      case 'message.created':
        turn.content = content ?? '';
        return;
      case 'message.delta':
        turn.text += delta ?? '';
        if (agent !== undefined) turn.agent = agent;
        if (turn.activity === 'retrying') turn.activity = 'working';
        return;
      case 'message.reset':
        if (turn.text !== '')
          this.#addPart(turn, {
            type: 'withdrawn',
            text: turn.text,
            reason: reason ?? '',
            ...(turn.agent !== undefined && { agent: turn.agent }),
          });
        turn.text = '';
        return;
      case 'message.completed':
        if (role === 'user') return;
        turn.text = content ?? turn.text;
        turn.final = true;
        if (isObject(payload['usage'])) turn.usage = payload['usage'] as unknown as SessionUsage;
        if (agent !== undefined) turn.agent = agent;
        return;
      default:
    }
  }

  #applyPart(turn: ConversationTurn, { type, timestamp, payload }: SessionEvent): void {
    const fields = texts(payload);
    switch (type) {
      case 'tool.started':
        if (turn.activity === 'retrying') turn.activity = 'working';
        return this.#startCall(turn, fields, { input: payload['input'], at: timestamp });
      case 'tool.completed':
        return this.#endCall(turn, fields, payload);
      case 'approval.requested':
        return this.#askApproval(turn, fields);
      case 'approval.resolved':
        return this.#resolveApproval(turn, fields);
      case 'error':
        this.#addPart(turn, { type: 'notice', notice: 'error', text: fields['message'] ?? '' });
        return;
      default:
    }
  }

  #startCall(turn: ConversationTurn, fields: Readonly<Record<string, string>>, { input, at }: { input: unknown; at: string }): void {
    const { tool = '', request_id: requestId = '', agent } = fields;
    const key = `${turn.id}/${requestId}`;
    // A call that is sent again after a lost worker keeps its place.
    const place = this.#places.get(key);
    const part: ToolCallPart = { type: 'tool', requestId, tool, input, at, ...(agent !== undefined && { agent }) };
    if (place === undefined) this.#places.set(key, this.#addPart(turn, part));
    else turn.parts[place] = part;
  }

  #endCall(turn: ConversationTurn, fields: Readonly<Record<string, string>>, payload: SessionEvent['payload']): void {
    const { tool = '', request_id: requestId = '', output = '', error_code: errorCode } = fields;
    const key = `${turn.id}/${requestId}`;
    const place = this.#places.get(key) ?? this.#addPart(turn, { type: 'tool', requestId, tool, input: undefined, at: '' });
    const latencyMs = wholeNumber(payload['latency_ms']);
    const result = {
      output,
      truncated: payload['truncated'] === true,
      ...(latencyMs !== undefined && { latencyMs }),
      ...(errorCode !== undefined && { errorCode }),
    };
    turn.parts[place] = { ...(turn.parts[place] as ToolCallPart), result };
    this.#places.set(key, place);
  }

  #askApproval(turn: ConversationTurn, { kind, name = '', reason, agent }: Readonly<Record<string, string>>): void {
    const approval = kind === 'TaskApproval' ? kind : 'ToolApproval';
    const place = this.#addPart(turn, {
      type: 'approval',
      kind: approval,
      name,
      ...(reason !== undefined && { reason }),
      ...(agent !== undefined && { agent }),
    });
    this.#places.set(`${turn.id}/${approval}/${name}`, place);
    this.#openApprovals += 1;
    this.#setPhase(turn, 'WaitingApproval');
  }

  #resolveApproval(turn: ConversationTurn, { kind, name = '', decision, decided_by: decidedBy }: Readonly<Record<string, string>>): void {
    const place = this.#places.get(`${turn.id}/${kind === 'TaskApproval' ? kind : 'ToolApproval'}/${name}`);
    const part = place === undefined ? undefined : turn.parts[place];
    if (place === undefined || part?.type !== 'approval' || part.decision !== undefined) return;
    turn.parts[place] = { ...part, decision: decision ?? 'resolved', ...(decidedBy !== undefined && { decidedBy }) };
    this.#openApprovals = Math.max(0, this.#openApprovals - 1);
    if (this.#openApprovals === 0 && turn.phase === 'WaitingApproval') this.#setPhase(turn, 'Running');
  }

  #setPhase(turn: ConversationTurn, phase: 'Running' | 'WaitingApproval'): void {
    turn.phase = phase;
    if (this.#active === turn && this.phase !== 'Paused') this.phase = phase;
  }

  /** Returns its place. */
  #addPart(turn: ConversationTurn, part: TurnPart): number {
    return turn.parts.push(part) - 1;
  }
}

/** The fields that are texts: payloads may come from a server of another version. */
function texts(value: unknown): Readonly<Record<string, string>> {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

const wholeNumber = (value: unknown): number | undefined => (Number.isSafeInteger(value) ? (value as number) : undefined);
