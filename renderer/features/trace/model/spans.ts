// The spans of a run: task → attempt → agent's turn → model call, tool call, wait. Grown in place, one entry at a time; independent of the
// screen.
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { endState } from './end-state.ts';
import { foldEntry } from './span-entries.ts';

export type SpanKind = 'task' | 'attempt' | 'turn' | 'model' | 'tool' | 'approval' | 'review' | 'breakpoint' | 'pause' | 'join' | 'note';

/** `running` and `waiting` belong to open spans; `unknown`: it was cut off and no result was recorded. */
export type SpanState = 'running' | 'waiting' | 'ok' | 'warned' | 'failed' | 'denied' | 'cancelled' | 'skipped' | 'unknown';

/** Open spans below a span. */
interface UnderWay {
  working: number;
  waiting: number;
}

/**
 * One stretch of a run. Spans are changed in place as entries arrive, and only by the fold; readers read again when its `version` grew.
 * Times are milliseconds since the epoch. Tokens and cost of a span include those of all below it.
 */
export interface Span {
  /** Stable across reads of the same trace: derived from its kind and the place of its first entry. */
  readonly id: string;
  readonly kind: SpanKind;
  readonly parent: Span | undefined;
  readonly children: Span[];
  readonly attempt: number;
  readonly step: number | undefined;
  readonly agent: string | undefined;
  readonly branch: string | undefined;
  /** Name of the row: the agent, the tool, the model. */
  name: string;
  start: number;
  /** Undefined while the span is open. */
  end: number | undefined;
  state: SpanState;
  /** Its attempts, from 1, and the times at which retries began. */
  tries: number;
  ticks: number[];
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  costUsd: number;
  /** Model answers below it of unknown price. */
  unpriced: number;
  errorCode: string | undefined;
  requestId: string | undefined;
  approval: string | undefined;
  /** Origin of an output that replaced a turn: an earlier run, or `spec` for a text of the trial. */
  pinned: string | undefined;
  /** Indexes of its entries in the trace, ascending. */
  readonly entries: number[];
  /** Spans below it, and the number of failed ones. */
  below: number;
  failedBelow: number;
  readonly underWay: UnderWay;
}

/** Arguments of a new span. */
export interface NewSpan {
  readonly kind: SpanKind;
  readonly name: string;
  readonly start: number;
  readonly entry: TraceEntry;
  /** Place of its first entry, with an index when one entry opens several. */
  readonly place: number;
  readonly part?: number;
  readonly state?: SpanState;
}

const ENDED_BADLY: ReadonlySet<SpanState> = new Set(['failed', 'denied']);

export function wentWrong(span: Span): boolean {
  return ENDED_BADLY.has(span.state);
}

/** Kind of load that an open leaf adds: a wait waits; every other open span works. */
function load(span: Span): keyof UnderWay | undefined {
  if (span.end !== undefined || span.kind === 'task' || span.kind === 'attempt' || span.kind === 'turn') return undefined;
  return span.state === 'waiting' ? 'waiting' : 'working';
}

export class SpanFold {
  /** Name of the root span: that of the run. */
  readonly runName: string;
  /** All spans in the order of their first entry. */
  readonly spans: Span[] = [];
  root: Span | undefined;
  /** Grows with every entry. */
  version = 0;
  /** Time of the last entry; never decreases. */
  now = 0;
  /** The run's cumulative tokens, one step per model answer. */
  readonly tokenSteps: { readonly at: number; readonly total: number }[] = [];

  /** @internal State that the fold has to find again; for span-entries.ts alone. */
  readonly attempts = new Map<number, Span>();
  /** @internal The last turn of attempt, branch and agent. */
  readonly turns = new Map<string, Span>();
  /** @internal The last turn of attempt and agent. */
  readonly lastTurns = new Map<string, Span>();
  /** @internal Entries that precede the turn they belong to. */
  readonly early = new Map<string, number[]>();
  /** @internal Calls without a result, by turn. */
  readonly pending = new Map<Span, Span[]>();
  /** @internal Open questions, by the approval's name. */
  readonly questions = new Map<string, Span>();
  /** @internal Arrival time of the first message at a node that has not begun, by attempt and agent. */
  readonly arrivals = new Map<string, number>();
  /** @internal */
  readonly open = new Set<Span>();

  constructor(runName = 'Task') {
    this.runName = runName;
  }

  /** Takes the next entries of the trace. The cost is proportional to the entries, whatever came before. */
  append(entries: readonly TraceEntry[]): void {
    for (const entry of entries) {
      const at = Date.parse(entry.timestamp);
      if (Number.isFinite(at)) this.now = Math.max(this.now, at);
      foldEntry(this, entry, this.version);
      this.version += 1;
    }
  }

  /** @internal */
  begin(parent: Span | undefined, made: NewSpan): Span {
    const { kind, name, start, entry, place, part, state = 'running' } = made;
    const span: Span = {
      id: `${kind}-${place}${part === undefined ? '' : `.${part}`}`,
      kind,
      parent,
      children: [],
      attempt: entry.attempt ?? 1,
      step: entry.step === 0 ? undefined : entry.step,
      agent: entry.agent,
      branch: entry.branch_id,
      name,
      start,
      end: undefined,
      state,
      tries: 1,
      ticks: [],
      inputTokens: 0,
      outputTokens: 0,
      cachedTokens: 0,
      costUsd: 0,
      unpriced: 0,
      errorCode: undefined,
      requestId: entry.tool_request_id,
      approval: undefined,
      pinned: undefined,
      entries: [place],
      below: 0,
      failedBelow: 0,
      underWay: { working: 0, waiting: 0 },
    };
    parent?.children.push(span);
    for (let each = parent; each; each = each.parent) each.below += 1;
    this.spans.push(span);
    this.open.add(span);
    this.#count(span, 1);
    return span;
  }

  /** @internal Sets another state of an open span. Reopens a span that had ended. */
  resume(span: Span, state: 'running' | 'waiting'): void {
    if (span.end === undefined && span.state === state) return;
    this.#count(span, -1);
    span.end = undefined;
    this.#setState(span, state);
    this.open.add(span);
    this.#count(span, 1);
    if (span.parent && span.parent.end !== undefined) this.resume(span.parent, state);
  }

  /** @internal */
  end(span: Span, state: SpanState, at = this.now): void {
    this.#count(span, -1);
    span.end = Math.max(at, span.start);
    this.#setState(span, state);
    this.open.delete(span);
    this.#count(span, 0);
  }

  /** @internal */
  fail(span: Span, entry: TraceEntry): void {
    span.errorCode = entry.error_code;
    this.end(span, endState(entry.error_code));
  }

  #setState(span: Span, state: SpanState): void {
    const before = wentWrong(span);
    span.state = state;
    const change = Number(wentWrong(span)) - Number(before);
    if (change === 0) return;
    for (let each = span.parent; each; each = each.parent) each.failedBelow += change;
  }

  /** Adds or removes a leaf's load, and updates the states of its ancestors. */
  #count(span: Span, by: -1 | 0 | 1): void {
    const what = load(span);
    for (let each = span.parent; each; each = each.parent) {
      if (what && by !== 0) each.underWay[what] += by;
      if (each.end === undefined && load(each) === undefined) {
        each.state = each.underWay.working === 0 && each.underWay.waiting > 0 ? 'waiting' : 'running';
      }
    }
  }

  /** @internal */
  spend(span: Span, entry: TraceEntry): void {
    const { input_tokens: input = 0, output_tokens: output = 0, cached_input_tokens: cached = 0, cost_usd: cost } = entry;
    for (let each: Span | undefined = span; each; each = each.parent) {
      each.inputTokens += input;
      each.outputTokens += output;
      each.cachedTokens += cached;
      each.costUsd += cost ?? 0;
      if (cost === undefined) each.unpriced += 1;
    }
    this.tokenSteps.push({ at: this.now, total: (this.tokenSteps.at(-1)?.total ?? 0) + input + output });
  }
}
