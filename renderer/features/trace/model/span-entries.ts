// Effect of each entry of a trace on the spans: the rules of the fold. One entry touches its own turn and nothing else.
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { endState } from './end-state.ts';
import type { Span, SpanFold, SpanState } from './spans.ts';

type Rule = (fold: SpanFold, entry: TraceEntry, place: number) => void;

const attemptOf = (entry: TraceEntry): number => entry.attempt ?? 1;
const turnKey = (entry: TraceEntry): string => `${attemptOf(entry)} ${entry.branch_id ?? ''} ${entry.agent ?? ''}`;
const agentKey = (entry: TraceEntry, agent = entry.agent): string => `${attemptOf(entry)} ${agent ?? ''}`;

// ---------------------------------------------------------------- task and attempts

function rootOf(fold: SpanFold, entry: TraceEntry, place: number): Span {
  fold.root ??= fold.begin(undefined, {
    kind: 'task',
    name: fold.runName,
    start: fold.now,
    entry: { ...entry, agent: undefined, branch_id: undefined },
    place,
  });
  return fold.root;
}

function attemptSpan(fold: SpanFold, entry: TraceEntry, place: number): Span {
  const number = attemptOf(entry);
  const known = fold.attempts.get(number);
  if (known) return known;
  const root = rootOf(fold, entry, place);
  const before = fold.attempts.get(number - 1);
  if (before) pauseBefore(fold, { root, before, entry, place });
  const bare = { ...entry, agent: undefined, branch_id: undefined };
  const span = fold.begin(root, { kind: 'attempt', name: `Attempt ${number}`, start: fold.now, entry: bare, place });
  fold.attempts.set(number, span);
  return span;
}

interface NextAttempt {
  readonly root: Span;
  readonly before: Span;
  readonly entry: TraceEntry;
  readonly place: number;
}

/** The previous attempt failed, or there would not be another one. */
function pauseBefore(fold: SpanFold, { root, before, entry, place }: NextAttempt): void {
  closeBelow(fold, before, { at: lastMoment(before) });
  if (before.end === undefined) fold.end(before, 'failed', lastMoment(before));
  root.tries += 1;
  root.ticks.push(fold.now);
  const start = before.end ?? fold.now;
  const bare = { ...entry, agent: undefined, branch_id: undefined };
  const pause = fold.begin(root, {
    kind: 'pause',
    name: 'Pause before the next attempt',
    start,
    entry: bare,
    place,
    part: 0,
    state: 'waiting',
  });
  fold.end(pause, 'ok');
}

function lastMoment(span: Span): number {
  return span.children.reduce((latest, child) => Math.max(latest, child.end ?? child.start), span.start);
}

interface Close {
  /** Default: now. */
  readonly at?: number;
  /** State of turns that have not ended. Default: failed. */
  readonly state?: SpanState;
}

/** Ends the open spans below, without a result. */
function closeBelow(fold: SpanFold, span: Span, { at = fold.now, state = 'failed' }: Close = {}): void {
  for (const each of fold.open) {
    if (each !== span && isBelow(each, span)) fold.end(each, each.kind === 'turn' ? state : 'unknown', at);
  }
}

function isBelow(span: Span, above: Span): boolean {
  for (let each = span.parent; each; each = each.parent) if (each === above) return true;
  return false;
}

const endTask: Rule = (fold, entry, place) => {
  const attempt = attemptSpan(fold, entry, place);
  const root = rootOf(fold, entry, place);
  const failed = entry.error_code !== undefined;
  const state = failed ? endState(entry.error_code) : 'ok';
  closeBelow(fold, attempt, failed ? { state } : {});
  for (const span of [attempt, root]) {
    span.entries.push(place);
    span.errorCode = entry.error_code;
    fold.end(span, state);
  }
};

// ---------------------------------------------------------------- turns

/** Turn of an entry; in a trace whose beginning is missing, one that begins here. */
function turnOf(fold: SpanFold, entry: TraceEntry, place: number): Span {
  const known = fold.turns.get(turnKey(entry));
  if (known) return known;
  return beginTurn(fold, entry, place);
}

function beginTurn(fold: SpanFold, entry: TraceEntry, place: number): Span {
  const attempt = attemptSpan(fold, entry, place);
  const span = fold.begin(attempt, { kind: 'turn', name: entry.agent ?? 'Agent', start: fold.now, entry, place });
  const key = turnKey(entry);
  span.entries.unshift(...(fold.early.get(key) ?? []));
  fold.early.delete(key);
  fold.turns.set(key, span);
  fold.lastTurns.set(agentKey(entry), span);
  fold.arrivals.delete(agentKey(entry));
  return span;
}

/** The entry of a breakpoint before a turn precedes its start and begins its span. */
function waitsForStart({ end, children }: Span): boolean {
  return end === undefined && children.length > 0 && children.every(({ kind }) => kind === 'breakpoint');
}

function takeEarly(fold: SpanFold, turn: Span, entry: TraceEntry): void {
  turn.entries.push(...(fold.early.get(turnKey(entry)) ?? []));
  fold.early.delete(turnKey(entry));
}

const startTurn: Rule = (fold, entry, place) => {
  const turn = fold.turns.get(turnKey(entry));
  if (turn && waitsForStart(turn)) {
    takeEarly(fold, turn, entry);
    return addEntry(turn, place);
  }
  const pause = turn && openChild(turn, 'pause');
  if (!turn || !pause) return void beginTurn(fold, entry, place);
  fold.end(pause, 'ok');
  turn.tries += 1;
  turn.ticks.push(fold.now);
  takeEarly(fold, turn, entry);
  turn.entries.push(place);
};

function openChild(span: Span, kind: Span['kind']): Span | undefined {
  const last = span.children.findLast((child) => child.kind === kind);
  return last?.end === undefined ? last : undefined;
}

const endTurn: Rule = (fold, entry, place) => {
  const turn = turnOf(fold, entry, place);
  addEntry(turn, place);
  closeBelow(fold, turn);
  turn.pinned = entry.pinned;
  fold.end(turn, 'ok');
};

const failTurn: Rule = (fold, entry, place) => {
  const turn = turnOf(fold, entry, place);
  addEntry(turn, place);
  closeBelow(fold, turn);
  fold.fail(turn, entry);
};

const pauseTurn: Rule = (fold, entry, place) => {
  const turn = turnOf(fold, entry, place);
  addEntry(turn, place);
  fold.resume(turn, 'waiting');
  fold.begin(turn, { kind: 'pause', name: `Pause after try ${turn.tries}`, start: fold.now, entry, place, state: 'waiting' });
};

/** Handovers are recorded in the branch they open; they belong to their sender. */
const handOver: Rule = (fold, entry, place) => {
  const turn = fold.turns.get(turnKey(entry)) ?? fold.lastTurns.get(agentKey(entry));
  if (entry.to_agent === undefined || !turn) {
    const under = turn ?? attemptSpan(fold, entry, place);
    return note(fold, { under, entry, place, state: 'skipped', name: 'Message skipped' });
  }
  const key = agentKey(entry, entry.to_agent);
  if (!fold.arrivals.has(key)) fold.arrivals.set(key, fold.now);
  note(fold, { under: turn, entry, place, state: 'ok', name: `→ ${entry.to_agent}` });
};

const settleJoin: Rule = (fold, entry, place) => {
  // The span of a join begins with the first arrival, and is created once the join is settled.
  if (entry.join === 'waiting') return addEntry(attemptSpan(fold, entry, place), place);
  const start = fold.arrivals.get(agentKey(entry)) ?? fold.now;
  const span = fold.begin(attemptSpan(fold, entry, place), {
    kind: 'join',
    name: entry.agent ?? 'Join',
    start,
    entry,
    place,
    state: 'waiting',
  });
  if (entry.error_code !== undefined) fold.fail(span, entry);
  else fold.end(span, entry.branch_id === undefined ? 'skipped' : 'ok');
};

const early: Rule = (fold, entry, place) => {
  const key = turnKey(entry);
  fold.early.set(key, [...(fold.early.get(key) ?? []), place]);
};

function addEntry(span: Span, place: number): void {
  if (span.entries.at(-1) !== place) span.entries.push(place);
}

const toTurn: Rule = (fold, entry, place) => addEntry(turnOf(fold, entry, place), place);

interface Note {
  readonly under: Span;
  readonly entry: TraceEntry;
  readonly place: number;
  readonly state: SpanState;
  readonly name: string;
}

/** An event without duration. */
function note(fold: SpanFold, { under, entry, place, state, name }: Note): void {
  const span = fold.begin(under, { kind: 'note', name, start: fold.now, entry, place });
  span.errorCode = entry.error_code;
  fold.end(span, state);
}

const noted =
  (name: string, state: SpanState): Rule =>
  (fold, entry, place) =>
    note(fold, { under: turnOf(fold, entry, place), entry, place, state, name });

// ---------------------------------------------------------------- model calls

const askModel: Rule = (fold, entry, place) => {
  const turn = turnOf(fold, entry, place);
  // A reviewer sent the work back, which reopens the turn.
  if (turn.end !== undefined) fold.resume(turn, 'running');
  fold.begin(turn, { kind: 'model', name: 'Model', start: fold.now, entry, place });
};

function modelSpan(fold: SpanFold, entry: TraceEntry, place: number): Span {
  const turn = turnOf(fold, entry, place);
  const modelCall = turn.children.findLast((child) => child.kind === 'model');
  if (modelCall && modelCall.step === entry.step && modelCall.end === undefined) {
    addEntry(modelCall, place);
    return modelCall;
  }
  return fold.begin(turn, { kind: 'model', name: 'Model', start: began(fold, entry), entry, place });
}

const began = (fold: SpanFold, { latency_ms: ms = 0 }: TraceEntry): number => fold.now - Math.max(0, ms);

/** From the record of a call to its sending; a longer time is not part of the call. */
const SENDING_MAX_MS = 1_000;

/** An answer that took less than the time since the call was recorded answers a later sending: the first worker was lost or stopped. */
function countSending(fold: SpanFold, span: Span, entry: TraceEntry): void {
  const sentAt = began(fold, entry);
  if (entry.latency_ms === undefined || sentAt - span.start <= SENDING_MAX_MS) return;
  span.tries += 1;
  span.ticks.push(sentAt);
}

const answer: Rule = (fold, entry, place) => {
  const span = modelSpan(fold, entry, place);
  countSending(fold, span, entry);
  span.name = entry.model ?? span.name;
  fold.end(span, 'ok');
  fold.spend(span, entry);
  const turn = span.parent;
  if (!turn || !entry.asked_tools) return;
  const calls = entry.asked_tools.map((name, part) =>
    fold.begin(turn, { kind: 'tool', name, start: fold.now, entry: { ...entry, tool: name }, place, part }),
  );
  fold.pending.set(turn, [...(fold.pending.get(turn) ?? []), ...calls]);
};

const failModel: Rule = (fold, entry, place) => {
  const span = modelSpan(fold, entry, place);
  countSending(fold, span, entry);
  fold.fail(span, entry);
};

// ---------------------------------------------------------------- tool calls

/** Call of an entry: by its request id, or else the first of that tool and step without one. */
function callSpan(fold: SpanFold, entry: TraceEntry, place: number): Span {
  const turn = turnOf(fold, entry, place);
  const calls = fold.pending.get(turn) ?? [];
  const known =
    calls.find(({ requestId }) => requestId !== undefined && requestId === entry.tool_request_id) ??
    calls.find(({ requestId, name, step }) => requestId === undefined && name === entry.tool && step === entry.step);
  if (!known) {
    const span = fold.begin(turn, { kind: 'tool', name: entry.tool ?? 'Tool', start: began(fold, entry), entry, place });
    fold.pending.set(turn, [...calls, span]);
    return span;
  }
  known.requestId = entry.tool_request_id;
  addEntry(known, place);
  return known;
}

const endCall =
  (state?: SpanState): Rule =>
  (fold, entry, place) => {
    if (entry.tool === undefined) return refuseTurn(fold, entry, place);
    const span = callSpan(fold, entry, place);
    const { parent: turn } = span;
    const rest = (turn && fold.pending.get(turn))?.filter((each) => each !== span) ?? [];
    if (turn && rest.length > 0) fold.pending.set(turn, rest);
    else if (turn) fold.pending.delete(turn);
    // A call that waited for nobody began when it was sent, not when the model requested it.
    if (span.children.length === 0) span.start = Math.max(span.start, Math.min(began(fold, entry), fold.now));
    for (const child of span.children) if (child.end === undefined) fold.end(child, 'unknown');
    span.tries = Math.max(span.tries, entry.tool_attempt ?? 1);
    span.errorCode = entry.error_code;
    fold.end(span, state ?? endState(entry.error_code));
  };

/** Governance ended the turn itself. */
const refuseTurn: Rule = (fold, entry, place) => {
  const name = entry.type === 'token_budget_exceeded' ? 'Token budget used up' : 'Refused by policy';
  note(fold, { under: turnOf(fold, entry, place), entry, place, state: 'denied', name });
};

// ---------------------------------------------------------------- approvals

const DECIDED: Readonly<Record<string, SpanState>> = { approved: 'ok', denied: 'denied', expired: 'failed', request_changes: 'warned' };

const openCallApproval: Rule = (fold, entry, place) => {
  const call = callSpan(fold, entry, place);
  fold.resume(call, 'waiting');
  const span = fold.begin(call, { kind: 'approval', name: 'Approval', start: fold.now, entry, place, state: 'waiting' });
  span.approval = call.approval = entry.approval;
  fold.questions.set(entry.approval ?? '', span);
};

const openReview: Rule = (fold, entry, place) => {
  const turn = entry.agent === undefined ? undefined : fold.turns.get(turnKey(entry));
  const under = turn?.end === undefined && turn !== undefined ? turn : attemptSpan(fold, entry, place);
  const span = fold.begin(under, { kind: 'review', name: 'Review', start: fold.now, entry, place, state: 'waiting' });
  span.approval = entry.approval;
  fold.questions.set(entry.approval ?? '', span);
};

const decide: Rule = (fold, entry, place) => {
  const span = fold.questions.get(entry.approval ?? '');
  if (!span) return note(fold, { under: attemptSpan(fold, entry, place), entry, place, state: 'ok', name: 'Decision' });
  fold.questions.delete(entry.approval ?? '');
  addEntry(span, place);
  const state = DECIDED[entry.decision ?? ''] ?? 'ok';
  fold.end(span, state);
  const call = span.parent;
  if (call?.kind !== 'tool') return;
  addEntry(call, place);
  if (state === 'ok') fold.resume(call, 'running');
  else fold.end(call, 'denied');
};

// ---------------------------------------------------------------- breakpoints

const LEFT: Readonly<Record<string, SpanState>> = { continued: 'ok', ended: 'skipped', expired: 'failed' };

const reachStop: Rule = (fold, entry, place) => {
  const turn = entry.breakpoint === 'before' ? beginTurn(fold, entry, place) : turnOf(fold, entry, place);
  fold.begin(turn, {
    kind: 'breakpoint',
    name: `${entry.breakpoint === 'before' ? 'Before' : 'After'} ${turn.name}`,
    start: fold.now,
    entry,
    place,
    state: 'waiting',
  });
};

const leaveStop: Rule = (fold, entry, place) => {
  const turn = turnOf(fold, entry, place);
  const span = openChild(turn, 'breakpoint');
  if (!span) return addEntry(turn, place);
  addEntry(span, place);
  fold.end(span, LEFT[entry.decision ?? ''] ?? 'ok');
};

// ---------------------------------------------------------------- the table

const RULES: Readonly<Record<TraceEntry['type'], Rule>> = {
  task_takeover: (fold, entry, place) =>
    note(fold, {
      under: attemptSpan(fold, entry, place),
      entry,
      place,
      state: 'warned',
      name: `Taken over by ${entry.worker ?? 'a worker'}`,
    }),
  task_start: (fold, entry, place) => void attemptSpan(fold, entry, place),
  agent_start: startTurn,
  agent_end: endTurn,
  agent_error: failTurn,
  agent_message: handOver,
  agent_message_received: early,
  agent_message_processed: toTurn,
  agent_message_join_wait: settleJoin,
  agent_message_retry_scheduled: pauseTurn,
  agent_message_non_retryable: toTurn,
  agent_message_deadletter: toTurn,
  model_call: askModel,
  call_resent: toTurn,
  model_output: answer,
  model_error: failModel,
  model_resolution_error: failModel,
  tool_call: endCall('ok'),
  tool_error: endCall(),
  tool_permission_denied: endCall('denied'),
  tool_approval_pending: openCallApproval,
  tool_approval_resolved: decide,
  task_approval_pending: openReview,
  task_approval_resolved: decide,
  breakpoint_reached: reachStop,
  breakpoint_resolved: leaveStop,
  policy_violation: endCall('denied'),
  token_budget_exceeded: endCall('denied'),
  agent_contract_violation: noted('Contract broken', 'failed'),
  contract_warning: noted('Contract warning', 'warned'),
  task_summary: endTask,
};

/** Applies the next entry to the fold. An entry of an unknown type, from a newer server, has no effect. */
export function foldEntry(fold: SpanFold, entry: TraceEntry, place: number): void {
  (RULES as Readonly<Record<string, Rule | undefined>>)[entry.type]?.(fold, entry, place);
}
