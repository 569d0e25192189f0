// The spans of a run: task → attempt → agent's turn → model call, tool call, wait. Grown in place, one entry at a time; knows no screen.
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { foldEntry } from './span-entries.ts';

export type SpanKind = 'task' | 'attempt' | 'turn' | 'model' | 'tool' | 'approval' | 'review' | 'pause' | 'join' | 'note';

/** `running` and `waiting` are of spans without an end; `unknown`: it was cut off and no result was recorded. */
export type SpanState = 'running' | 'waiting' | 'ok' | 'warned' | 'failed' | 'denied' | 'skipped' | 'unknown';

/** Open spans below a span. */
interface UnderWay {
  working: number;
  waiting: number;
}

/**
 * One stretch of a run. Spans are changed in place as entries come, and only by the fold; readers look again when its `version` grew.
 * Times are milliseconds since the epoch. Tokens and cost of a span hold those of all below it.
 */
export interface Span {
  /** The same whenever the same trace is read: made of its kind and the place of its first entry. */
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
  /** Tries of it, from 1, and the moments at which another one began. */
  tries: number;
  ticks: number[];
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  costUsd: number;
  /** Model answers below it whose price is not known. */
  unpriced: number;
  errorCode: string | undefined;
  requestId: string | undefined;
  approval: string | undefined;
  /** Places in the trace of the entries it is made of, ascending. */
  readonly entries: number[];
  /** Spans below it, and how many of them went wrong. */
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
  /** Place of its first entry, and of several that one entry opens, which. */
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
  /** All spans in the order in which they began to be known. */
  readonly spans: Span[] = [];
  root: Span | undefined;
  /** Grows with every entry. */
  version = 0;
  /** Moment of the last entry; never goes back. */
  now = 0;
  /** The run's cumulative tokens, one step per model answer. */
  readonly tokenSteps: { readonly at: number; readonly total: number }[] = [];

  /** @internal What the fold has to find again; for span-entries.ts alone. */
  readonly attempts = new Map<number, Span>();
  /** @internal The last turn of attempt, branch and agent. */
  readonly turns = new Map<string, Span>();
  /** @internal The last turn of attempt and agent. */
  readonly lastTurns = new Map<string, Span>();
  /** @internal Entries that stand before the turn they belong to. */
  readonly early = new Map<string, number[]>();
  /** @internal Calls without a result, by turn. */
  readonly pending = new Map<Span, Span[]>();
  /** @internal Open questions, by the approval's name. */
  readonly questions = new Map<string, Span>();
  /** @internal When the first message reached a node that has not begun, by attempt and agent. */
  readonly arrivals = new Map<string, number>();
  /** @internal */
  readonly open = new Set<Span>();

  /** Takes the next entries of the trace. The cost is that of the entries, whatever came before. */
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
  fail(span: Span, entry: TraceEntry, state: SpanState = 'failed'): void {
    span.errorCode = entry.error_code;
    this.end(span, state);
  }

  #setState(span: Span, state: SpanState): void {
    const before = wentWrong(span);
    span.state = state;
    const change = Number(wentWrong(span)) - Number(before);
    if (change === 0) return;
    for (let each = span.parent; each; each = each.parent) each.failedBelow += change;
  }

  /** Takes a leaf's load away or adds it, and lets the states of what it is part of follow. */
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
