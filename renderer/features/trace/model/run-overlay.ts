// State of a system's picture up to some entry of a trace: a state for each agent, the calls in flight, the open approvals. Pure. A scan
// keeps checkpoints, so that any place of a long trace is a few hundred entries away.
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import type { EdgeOverlay, NodeOverlay, NodeState, RunOverlay } from '../../../graph/overlay.ts';
import { routeKey } from '../../../graph/overlay.ts';
import { endState } from './end-state.ts';

/** Number of sources of each join, by the name of the joining agent. */
export type JoinSizes = ReadonlyMap<string, number>;

interface OpenTurn {
  readonly since: number;
  /** Between two attempts. */
  paused: boolean;
}

interface AgentState {
  /** Open turns, by branch. */
  readonly open: Map<string, OpenTurn>;
  /** Result of its last turn; idle before the first. */
  last: NodeState;
  tries: number;
  tokens: number;
  elapsedMs: number;
  /** Senders of the input of the current turn. */
  readonly sources: Set<string>;
  /** Places of breakpoints where turns wait, by turn. */
  readonly stops: Map<string, 'before' | 'after'>;
  /** Origin of the output that replaced its last turn. */
  pinned: string | undefined;
}

interface Message {
  readonly from: string;
  readonly to: string;
  readonly branch: string;
}

interface EdgeState {
  count: number;
  dead: boolean;
}

interface State {
  readonly agents: Map<string, AgentState>;
  readonly edges: Map<string, EdgeState>;
  /** Agent of each open approval; undefined where the output of the whole task is reviewed. */
  readonly approvals: Map<string, string | undefined>;
  underWay: Message[];
  now: number;
}

const CHECKPOINT_EVERY = 256;

function emptyState(): State {
  return { agents: new Map(), edges: new Map(), approvals: new Map(), underWay: [], now: 0 };
}

function copyState(state: State): State {
  const agent = (each: AgentState): AgentState => ({
    ...each,
    open: new Map([...each.open].map(([branch, turn]) => [branch, { ...turn }])),
    sources: new Set(each.sources),
    stops: new Map(each.stops),
  });
  return {
    agents: new Map([...state.agents].map(([name, each]) => [name, agent(each)])),
    edges: new Map([...state.edges].map(([key, each]) => [key, { ...each }])),
    approvals: new Map(state.approvals),
    underWay: [...state.underWay],
    now: state.now,
  };
}

function agentOf(state: State, name: string): AgentState {
  const known = state.agents.get(name);
  if (known) return known;
  const made: AgentState = {
    ...{ open: new Map(), last: 'idle', tries: 0, tokens: 0, elapsedMs: 0 },
    ...{ sources: new Set(), stops: new Map(), pinned: undefined },
  };
  state.agents.set(name, made);
  return made;
}

function edgeOf(state: State, from: string, to: string): EdgeState {
  const key = routeKey(from, to);
  const known = state.edges.get(key);
  if (known) return known;
  const made: EdgeState = { count: 0, dead: false };
  state.edges.set(key, made);
  return made;
}

/** The messages in `taken` have arrived and are no longer in flight; their senders are the agent's input. */
function deliver(state: State, agent: string, taken: (branch: string) => boolean): void {
  const arrived = state.underWay.filter(({ to, branch }) => to === agent && taken(branch));
  if (arrived.length === 0) return;
  state.underWay = state.underWay.filter((message) => !arrived.includes(message));
  const { sources } = agentOf(state, agent);
  sources.clear();
  for (const { from } of arrived) sources.add(from);
}

function startTurn(state: State, name: string, branch: string): void {
  const agent = agentOf(state, name);
  const again = agent.open.get(branch)?.paused === true;
  agent.tries = again ? agent.tries + 1 : 1;
  deliver(state, name, (each) => each === branch);
  agent.open.set(branch, { since: agent.open.get(branch)?.since ?? state.now, paused: false });
}

function endTurn(agent: AgentState, branch: string, end: { readonly at: number; readonly outcome: NodeState }): void {
  const turn = agent.open.get(branch);
  if (turn) agent.elapsedMs += Math.max(0, end.at - turn.since);
  agent.open.delete(branch);
  agent.last = end.outcome;
}

/** A new attempt begins with nothing done; spent tokens stay spent. */
function startAttempt(state: State): void {
  for (const agent of state.agents.values()) {
    agent.open.clear();
    agent.stops.clear();
    agent.pinned = undefined;
    agent.last = 'idle';
    agent.tries = 0;
    agent.sources.clear();
  }
  for (const edge of state.edges.values()) edge.dead = false;
  state.underWay = [];
  state.approvals.clear();
}

function endRun(state: State, code: string | undefined): void {
  const end = { at: state.now, outcome: code === undefined ? 'succeeded' : endState(code) } as const;
  for (const agent of state.agents.values()) {
    agent.stops.clear();
    for (const branch of [...agent.open.keys()]) endTurn(agent, branch, end);
  }
  state.underWay = [];
  state.approvals.clear();
}

function settleJoin(state: State, entry: TraceEntry, agent: string): void {
  if (entry.join === 'waiting') return;
  deliver(state, agent, () => true);
  if (entry.error_code !== undefined) agentOf(state, agent).last = 'failed';
  else if (entry.branch_id === undefined) agentOf(state, agent).last = 'skipped';
}

function sendMessage(state: State, entry: TraceEntry, from: string): void {
  const { to_agent: to, branch_id: branch = '' } = entry;
  if (to === undefined) {
    // A message that arrived after its join had continued.
    const agent = agentOf(state, from);
    if (agent.last === 'idle' && agent.open.size === 0) agent.last = 'skipped';
    return;
  }
  edgeOf(state, from, to).count += 1;
  state.underWay.push({ from, to, branch });
}

/** A retried turn never ended. */
function pauseTurn(state: State, name: string, branch: string): void {
  const agent = agentOf(state, name);
  agent.open.set(branch, { since: state.now, paused: true });
  agent.last = 'waiting';
}

function applyToAgent(state: State, entry: TraceEntry, agent: string): void {
  const branch = entry.branch_id ?? '';
  switch (entry.type) {
    case 'agent_start':
      return startTurn(state, agent, branch);
    case 'breakpoint_reached':
      return void agentOf(state, agent).stops.set(entry.turn_id ?? '', entry.breakpoint === 'after' ? 'after' : 'before');
    case 'breakpoint_resolved':
      return void agentOf(state, agent).stops.delete(entry.turn_id ?? '');
    case 'agent_end':
      agentOf(state, agent).pinned = entry.pinned;
      return endTurn(agentOf(state, agent), branch, { at: state.now, outcome: 'succeeded' });
    case 'agent_error':
      return endTurn(agentOf(state, agent), branch, { at: state.now, outcome: endState(entry.error_code) });
    case 'agent_message_retry_scheduled':
      return pauseTurn(state, agent, branch);
    case 'agent_message_deadletter':
      for (const from of agentOf(state, agent).sources) edgeOf(state, from, agent).dead = true;
      return;
    case 'agent_message':
      return sendMessage(state, entry, agent);
    case 'agent_message_join_wait':
      return settleJoin(state, entry, agent);
    case 'model_call':
      // A reviewer sent the work back, which reopens the ended turn.
      if (!agentOf(state, agent).open.has(branch)) agentOf(state, agent).open.set(branch, { since: state.now, paused: false });
      return;
    case 'model_output':
      agentOf(state, agent).tokens += entry.tokens ?? 0;
      return;
    default:
      return;
  }
}

function apply(state: State, entry: TraceEntry): void {
  const at = Date.parse(entry.timestamp);
  if (Number.isFinite(at)) state.now = Math.max(state.now, at);
  switch (entry.type) {
    case 'task_start':
      return startAttempt(state);
    case 'task_summary':
      return endRun(state, entry.error_code);
    case 'tool_approval_pending':
      return void state.approvals.set(`ToolApproval/${entry.approval ?? ''}`, entry.agent);
    case 'task_approval_pending':
      return void state.approvals.set(`TaskApproval/${entry.approval ?? ''}`, entry.agent);
    case 'tool_approval_resolved':
      return void state.approvals.delete(`ToolApproval/${entry.approval ?? ''}`);
    case 'task_approval_resolved':
      return void state.approvals.delete(`TaskApproval/${entry.approval ?? ''}`);
    default:
      if (entry.agent !== undefined) applyToAgent(state, entry, entry.agent);
  }
}

function nodeState(agent: AgentState, underReview: boolean): NodeState {
  if (agent.stops.size > 0) return 'waiting';
  if (agent.open.size === 0) return underReview ? 'waiting' : agent.last;
  const paused = [...agent.open.values()].every((turn) => turn.paused);
  return underReview || paused ? 'waiting' : 'running';
}

interface NodeView {
  readonly underReview: boolean;
  /** At the last recorded entry, where open turns are running. */
  readonly atEnd: boolean;
}

function nodeOverlay(state: State, agent: AgentState, { underReview, atEnd }: NodeView): NodeOverlay {
  const since = [...agent.open.values()].map((turn) => state.now - turn.since);
  const elapsedMs = agent.elapsedMs + Math.max(0, ...since);
  const started = agent.tries > 0 || agent.open.size > 0;
  const [stop] = agent.stops.values();
  return {
    state: nodeState(agent, underReview),
    ...(agent.tries > 0 && { attempt: agent.tries }),
    ...(agent.tokens > 0 && { tokens: agent.tokens }),
    ...(started && { elapsedMs }),
    ...(atEnd && agent.open.size > 0 && { growingFrom: state.now - elapsedMs }),
    ...(stop !== undefined && { stop }),
    ...(agent.pinned !== undefined && { pinned: agent.pinned }),
  };
}

function toOverlay(state: State, joins: JoinSizes, atEnd: boolean): RunOverlay {
  const underReview = new Set(state.approvals.values());
  const nodes = new Map(
    [...state.agents].map(([name, agent]) => [name, nodeOverlay(state, agent, { underReview: underReview.has(name), atEnd })]),
  );
  for (const [name, size] of joins) {
    const arrived = new Set(state.underWay.flatMap(({ from, to }) => (to === name ? [from] : []))).size;
    const waits = arrived > 0 && (state.agents.get(name)?.open.size ?? 0) === 0;
    if (waits) nodes.set(name, { ...nodes.get(name), state: 'waiting', arrived: `${arrived}/${size}` });
  }
  const active = new Set(state.underWay.map(({ from, to }) => routeKey(from, to)));
  const edges = new Map<string, EdgeOverlay>();
  for (const [key, { count, dead }] of state.edges) edges.set(key, { count, dead, active: active.has(key) });
  return { nodes, edges };
}

/**
 * Overlays for any place of a trace that may still grow. `entries` is appended to and otherwise never changed; a scan belongs to one trace.
 * A lookup costs at most 256 entries, wherever the place is.
 */
export class OverlayScan {
  readonly #checkpoints: State[] = [emptyState()];
  /** The last requested place, which the next one often follows. */
  #near: { readonly position: number; readonly state: State } = { position: 0, state: emptyState() };
  #scanned = 0;
  readonly #head = emptyState();

  /** The overlay after the first `position` entries. */
  at(entries: readonly TraceEntry[], position: number, joins: JoinSizes = new Map()): RunOverlay {
    const place = Math.max(0, Math.min(entries.length, Math.floor(position)));
    this.#scanTo(entries, place);
    const index = Math.floor(place / CHECKPOINT_EVERY);
    const from = index * CHECKPOINT_EVERY;
    const follows = this.#near.position >= from && this.#near.position <= place;
    const state = follows ? this.#near.state : copyState(this.#checkpoints[index] ?? emptyState());
    for (let at = follows ? this.#near.position : from; at < place; at += 1) apply(state, entries[at] as TraceEntry);
    this.#near = { position: place, state };
    return toOverlay(state, joins, place === entries.length);
  }

  #scanTo(entries: readonly TraceEntry[], place: number): void {
    while (this.#scanned < place) {
      apply(this.#head, entries[this.#scanned] as TraceEntry);
      this.#scanned += 1;
      if (this.#scanned % CHECKPOINT_EVERY === 0) this.#checkpoints.push(copyState(this.#head));
    }
  }
}

/** Overlay at one position, folded from the first entry: for a single lookup. */
export function overlayAt(entries: readonly TraceEntry[], position: number, joins: JoinSizes = new Map()): RunOverlay {
  const state = emptyState();
  for (const entry of entries.slice(0, Math.max(0, position))) apply(state, entry);
  return toOverlay(state, joins, position >= entries.length);
}
