// Rows of the waterfall: spans in order of nesting, or lanes of agents or branches, with filters and folding applied. Pure.
import { wentWrong, type Span, type SpanFold, type SpanKind } from '../model/spans.ts';

type Grouping = 'nested' | 'agent' | 'branch';

/** From agents' turns alone to every message. */
type Detail = 'less' | 'calls' | 'more';

export interface RowFilter {
  readonly failed: boolean;
  readonly agent: string;
  readonly tool: string;
  readonly branch: string;
  readonly text: string;
}

export const NO_FILTER: RowFilter = { failed: false, agent: '', tool: '', branch: '', text: '' };

interface SpanRow {
  readonly type: 'span';
  readonly id: string;
  readonly span: Span;
  /** From 1. */
  readonly level: number;
  readonly expandable: boolean;
  readonly expanded: boolean;
  /** Shown only because a descendant matches. */
  readonly dimmed: boolean;
}

/** All turns of one agent or branch, on one line while it is folded. */
interface LaneRow {
  readonly type: 'lane';
  readonly id: string;
  readonly name: string;
  readonly spans: readonly Span[];
  readonly level: number;
  readonly expandable: boolean;
  readonly expanded: boolean;
  readonly dimmed: boolean;
}

export type Row = SpanRow | LaneRow;

export interface RowOptions {
  readonly grouping: Grouping;
  readonly detail: Detail;
  readonly filter: RowFilter;
  /** Ids of rows that are folded. */
  readonly folded: ReadonlySet<string>;
  /** Searched text of a span; by default its name, agent and error. */
  readonly matchesText?: (span: Span, text: string) => boolean;
}

const SHOWN: Readonly<Record<Detail, ReadonlySet<SpanKind>>> = {
  less: new Set<SpanKind>(['task', 'attempt', 'turn', 'approval', 'review', 'breakpoint']),
  calls: new Set<SpanKind>(['task', 'attempt', 'turn', 'model', 'tool', 'approval', 'review', 'breakpoint', 'pause', 'join']),
  more: new Set<SpanKind>(['task', 'attempt', 'turn', 'model', 'tool', 'approval', 'review', 'breakpoint', 'pause', 'join', 'note']),
};

export function isFiltered(filter: RowFilter): boolean {
  return filter.failed || filter.agent !== '' || filter.tool !== '' || filter.branch !== '' || filter.text !== '';
}

export function nameMatches(span: Span, text: string): boolean {
  const wanted = text.toLowerCase();
  return [span.name, span.agent, span.errorCode, span.requestId, span.approval].some(
    (each) => each?.toLowerCase().includes(wanted) === true,
  );
}

function matches(span: Span, filter: RowFilter, matchesText: (span: Span, text: string) => boolean): boolean {
  if (filter.failed && !wentWrong(span)) return false;
  if (filter.agent !== '' && span.agent !== filter.agent) return false;
  if (filter.tool !== '' && !(span.kind === 'tool' && span.name === filter.tool)) return false;
  if (filter.branch !== '' && span.branch !== filter.branch && span.branch?.startsWith(`${filter.branch}.`) !== true) return false;
  return filter.text === '' || matchesText(span, filter.text);
}

/** Visible spans: with a filter, all matches and their ancestors. */
function visibleSpans(fold: SpanFold, options: RowOptions): ReadonlySet<Span> | undefined {
  const { filter, detail, matchesText = nameMatches } = options;
  if (!isFiltered(filter)) return undefined;
  const kept = new Set<Span>();
  for (const span of fold.spans) {
    if (!SHOWN[detail].has(span.kind) || !matches(span, filter, matchesText)) continue;
    for (let each: Span | undefined = span; each && !kept.has(each); each = each.parent) kept.add(each);
  }
  return kept;
}

class RowList {
  readonly rows: Row[] = [];
  readonly #options: RowOptions;
  readonly #kept: ReadonlySet<Span> | undefined;
  readonly #matchesText: (span: Span, text: string) => boolean;

  constructor(fold: SpanFold, options: RowOptions) {
    this.#options = options;
    this.#kept = visibleSpans(fold, options);
    this.#matchesText = options.matchesText ?? nameMatches;
  }

  shows(span: Span): boolean {
    return SHOWN[this.#options.detail].has(span.kind) && (this.#kept?.has(span) ?? true);
  }

  /** A level of detail may omit intermediate spans; their children move up. */
  childrenOf(span: Span): Span[] {
    const found: Span[] = [];
    for (const child of span.children) {
      if (this.shows(child)) found.push(child);
      else if (child.children.length > 0) found.push(...this.childrenOf(child));
    }
    return found;
  }

  isFolded(id: string): boolean {
    return this.#options.folded.has(id);
  }

  add(span: Span, level: number): void {
    const children = this.childrenOf(span);
    const expanded = children.length > 0 && !this.isFolded(span.id);
    const dimmed = this.#kept !== undefined && !matches(span, this.#options.filter, this.#matchesText);
    this.rows.push({ type: 'span', id: span.id, span, level, expandable: children.length > 0, expanded, dimmed });
    if (expanded) for (const child of children) this.add(child, level + 1);
  }

  addLane(id: string, name: string, spans: readonly Span[]): void {
    const expanded = !this.isFolded(id);
    this.rows.push({ type: 'lane', id, name, spans, level: 1, expandable: true, expanded, dimmed: false });
    if (expanded) for (const span of spans) this.add(span, 2);
  }
}

function laneOf(span: Span, grouping: Grouping): string {
  return (grouping === 'agent' ? span.agent : span.branch) ?? 'Run';
}

/** Turns and their siblings, by agent or branch in the order of their first appearance; branches below each other. */
function addLanes(list: RowList, fold: SpanFold, grouping: Grouping): void {
  const lanes = new Map<string, Span[]>();
  for (const attempt of fold.root?.children ?? []) {
    for (const span of attempt.kind === 'attempt' ? attempt.children : [attempt]) {
      if (!list.shows(span)) continue;
      const lane = laneOf(span, grouping);
      const known = lanes.get(lane);
      if (known) known.push(span);
      else lanes.set(lane, [span]);
    }
  }
  const names = grouping === 'branch' ? [...lanes.keys()].sort() : [...lanes.keys()];
  for (const name of names) list.addLane(`lane-${grouping}-${name}`, name, lanes.get(name) ?? []);
}

/** The rows in order. A run of one attempt has no row for it. */
export function traceRows(fold: SpanFold, options: RowOptions): readonly Row[] {
  const { root } = fold;
  if (!root) return [];
  const list = new RowList(fold, options);
  if (options.grouping !== 'nested') {
    addLanes(list, fold, options.grouping);
    return list.rows;
  }
  const attempts = root.children.filter(({ kind }) => kind === 'attempt');
  const top =
    attempts.length === 1
      ? root.children.flatMap((child) => (child.kind === 'attempt' ? list.childrenOf(child) : [child]))
      : list.childrenOf(root);
  const shown = top.filter((span) => list.shows(span));
  if (isFiltered(options.filter) && shown.length === 0) return [];
  const expanded = shown.length > 0 && !list.isFolded(root.id);
  list.rows.push({
    type: 'span',
    id: root.id,
    span: root,
    level: 1,
    expandable: shown.length > 0,
    expanded,
    dimmed: isFiltered(options.filter),
  });
  if (expanded) for (const span of shown) list.add(span, 2);
  return list.rows;
}

export interface Choices {
  readonly agents: readonly string[];
  readonly tools: readonly string[];
  readonly branches: readonly string[];
}

/** Choices of the filters. */
export function choicesOf(spans: readonly Span[]): Choices {
  const agents = new Set<string>();
  const tools = new Set<string>();
  const branches = new Set<string>();
  for (const span of spans) {
    if (span.kind === 'turn' && span.agent !== undefined) agents.add(span.agent);
    if (span.kind === 'tool') tools.add(span.name);
    if (span.kind === 'turn' && span.branch !== undefined) branches.add(span.branch);
  }
  return { agents: [...agents].sort(), tools: [...tools].sort(), branches: [...branches].sort() };
}
