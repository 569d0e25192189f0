// A finished or running trace as a tree: agent turns in order, their steps below them. Pure.
import type { TraceEntry } from '../api/trace-entry.ts';
import { stepView, type StepView } from './step-view.ts';
import type { Style } from './style.ts';
import { oneLine, padRight, textWidth } from './text-width.ts';
import { between, elapsed } from './time.ts';

const WHAT_WIDTH = 22;
const TOOK_WIDTH = 9;
const DETAIL_MIN = 20;

interface Turn {
  readonly agent: string;
  readonly branch: string;
  readonly attempt: number;
  readonly entries: TraceEntry[];
}

type Node = { readonly turn: Turn } | { readonly entry: TraceEntry };

/** A model call and its answer as one line: the request goes once it was answered. */
function withoutAnsweredRequests(entries: readonly TraceEntry[]): TraceEntry[] {
  const stepKey = (entry: TraceEntry) => `${entry.step_id} ${entry.branch_id} ${entry.agent}`;
  const answered = new Set(entries.filter((entry) => entry.type.startsWith('model_') && entry.type !== 'model_call').map(stepKey));
  return entries.filter((entry) => entry.type !== 'model_call' || !answered.has(stepKey(entry)));
}

/** Groups entries by the agent turn they belong to: one opens at agent_start and takes what its agent does on its branch. */
function group(entries: readonly TraceEntry[]): Node[] {
  const nodes: Node[] = [];
  const open = new Map<string, Turn>();
  for (const entry of entries) {
    const key = `${entry.branch_id ?? ''} ${entry.agent ?? ''}`;
    if (entry.type === 'agent_start' && entry.agent) {
      const turn = { agent: entry.agent, branch: entry.branch_id ?? '', attempt: entry.attempt ?? 1, entries: [entry] };
      open.set(key, turn);
      nodes.push({ turn });
      continue;
    }
    const turn = open.get(key) ?? handedOverBy(entry, nodes);
    if (turn) turn.entries.push(entry);
    else nodes.push({ entry });
  }
  return nodes;
}

/** A hand-over to a new branch carries that branch's id; it belongs to the turn of the agent that hands over. */
function handedOverBy(entry: TraceEntry, nodes: readonly Node[]): Turn | undefined {
  if (entry.type !== 'agent_message') return undefined;
  const node = nodes.findLast((each) => 'turn' in each && each.turn.agent === entry.agent);
  return node && 'turn' in node ? node.turn : undefined;
}

export interface TreeOptions {
  readonly style: Style;
  readonly columns: number;
}

function stepLine(entry: TraceEntry, prefix: string, { style, columns }: TreeOptions): string | undefined {
  const view = stepView(entry);
  if (!view) return undefined;
  const tone = view.tone === 'plain' ? (text: string) => text : style[view.tone];
  const took = padRight(view.durationMs === undefined ? '' : elapsed(view.durationMs), TOOK_WIDTH);
  const room = Math.max(DETAIL_MIN, columns - prefix.length - WHAT_WIDTH - TOOK_WIDTH - 4);
  return `${style.dim(prefix)}${tone(padRight(`${view.glyph} ${view.what}`, WHAT_WIDTH))}  ${style.dim(took)}  ${style.dim(oneLine(view.detail, room))}`.trimEnd();
}

function turnLines(turn: Turn, stem: string, options: TreeOptions): string[] {
  const { style, columns } = options;
  const end = turn.entries.findLast((entry) => entry.type === 'agent_end' || entry.type === 'agent_error');
  const ms = between(turn.entries[0]?.timestamp, (end ?? turn.entries.at(-1))?.timestamp);
  const facts = [turn.branch, turn.attempt > 1 ? `attempt ${turn.attempt}` : '', ms === undefined ? '' : elapsed(ms)].filter(
    (fact) => fact !== '',
  );
  const steps = turn.entries.filter((entry) => entry.type !== 'agent_start' && stepView(entry) !== undefined);
  const lines = steps.map((entry, i) => stepLine(entry, `${stem}${i === steps.length - 1 ? '└─ ' : '├─ '}`, options));
  const room = columns - stem.length - textWidth(facts.join('  ')) - 2;
  return [
    `${style.bold(oneLine(turn.agent, Math.max(DETAIL_MIN, room)))}  ${style.dim(facts.join('  '))}`,
    ...lines.filter((line) => line !== undefined),
  ];
}

/** Approvals that the entries ask for and nobody has decided. */
export function openApprovals(entries: readonly TraceEntry[]): NonNullable<StepView['waitsFor']>[] {
  const decided = new Set(entries.filter(({ type }) => type.endsWith('_approval_resolved')).map(({ approval }) => approval));
  return entries.flatMap((entry) => stepView(entry)?.waitsFor ?? []).filter(({ approval }) => !decided.has(approval));
}

export function traceTree(entries: readonly TraceEntry[], options: TreeOptions): string[] {
  const nodes = group(withoutAnsweredRequests(entries)).filter((node) => 'turn' in node || stepView(node.entry) !== undefined);
  return nodes.flatMap((node, i) => {
    const last = i === nodes.length - 1;
    const branch = last ? '└─ ' : '├─ ';
    if ('entry' in node) return [stepLine(node.entry, branch, options) ?? ''];
    const [head = '', ...rest] = turnLines(node.turn, last ? '   ' : '│  ', options);
    return [`${options.style.dim(branch)}${head}`, ...rest];
  });
}
