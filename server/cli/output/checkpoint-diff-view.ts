// Differences of two checkpoints as svcctl prints them, in the form of diff: `<` is the left side, `>` the right one. Independent of any server.
import type {
  Aligned,
  CheckpointDiff,
  ComparedAgent,
  ComparedCheckpoint,
  ComparedMessage,
  ComparedToolCall,
  Difference,
  SessionUsage,
} from '@svc/shared/api/sessions';
import { cellText } from './resources.ts';
import type { Style } from './style.ts';
import { oneLine } from './text-width.ts';

const SIDES = ['left', 'right'] as const;
type Side = (typeof SIDES)[number];
const MARKS = { left: '<', right: '>' } as const;
const HASH_SHOWN = 12;

/** Two texts of an agent; absent on the side that has none. */
type Texts = Readonly<Partial<Record<Side, string>>>;

export interface DiffLayout {
  readonly style: Style;
  /** Columns of the terminal; undefined cuts nothing. */
  readonly columns: number | undefined;
}

/** Everything that is compared is equal, and no part of it was left out. */
export function isEqualDiff({ messages, tool_calls: calls, outputs, agents, usage }: CheckpointDiff): boolean {
  const isSame = ({ left, right, cut }: Aligned<unknown>) => left.length + right.length === 0 && !cut.left && !cut.right;
  const isEmpty = ({ items, complete }: CheckpointDiff['outputs'] | CheckpointDiff['agents']) => items.length === 0 && complete;
  const isSameUsage = usageText(usage.left) === usageText(usage.right);
  return isSame(messages) && isSame(calls) && calls.complete && isEmpty(outputs) && isEmpty(agents) && isSameUsage;
}

export function checkpointDiffLines(diff: CheckpointDiff, layout: DiffLayout): string[] {
  const { messages, tool_calls: calls, outputs, agents, usage } = diff;
  const heads = SIDES.map((side) => marked(layout, side, headText(diff[side])));
  const tokens = SIDES.map((side) => marked(layout, side, usageText(usage[side])));
  return [
    ...heads,
    ...section(layout, 'Messages', alignedLines(layout, messages, messageText)),
    ...section(layout, 'Tool calls', [
      ...alignedLines(layout, calls, callText),
      ...(calls.complete ? [] : [remark(layout, 'Not every call is compared: runs are no longer stored, or are too many.')]),
    ]),
    ...section(layout, 'Outputs', [
      ...outputs.items.flatMap((each) => differenceLines(layout, each.agent, each)),
      ...rest(layout, outputs),
    ]),
    ...section(layout, 'Agents', [...agents.items.flatMap((each) => agentLines(layout, each)), ...rest(layout, agents)]),
    ...(usageText(usage.left) === usageText(usage.right) ? [] : section(layout, 'Tokens', tokens)),
    ...(isEqualDiff(diff) ? ['', 'No differences.'] : []),
  ];
}

function section({ style }: DiffLayout, title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', style.bold(title), ...lines];
}

const remark = ({ style, columns }: DiffLayout, text: string): string => style.dim(oneLine(text, columns ?? Number.POSITIVE_INFINITY));

function marked({ style, columns = Number.POSITIVE_INFINITY }: DiffLayout, side: Side, text: string): string {
  const paint = side === 'left' ? style.bad : style.good;
  return paint(`${MARKS[side]} ${oneLine(text, columns - 2)}`);
}

const headText = ({ namespace, session, checkpoint }: ComparedCheckpoint): string =>
  `session/${session} ${checkpoint.id} ${checkpoint.safe_point} ${checkpoint.created_at} (namespace ${namespace})`;

const messageText = ({ role, content }: ComparedMessage): string => `${role}: ${content}`;

function callText({ agent, tool, input, ok, result_hash: hash }: ComparedToolCall): string {
  return `${agent}: ${tool} ${input ? cellText(input) : ''} ${ok ? '✓' : '✗'} ${hash.slice(0, HASH_SHOWN)}`;
}

const usageText = ({ input_tokens, output_tokens }: SessionUsage): string => `${input_tokens} of input, ${output_tokens} of output`;

/** Items that only one side has, behind the number of those that both have. */
function alignedLines<Item>(layout: DiffLayout, { shared, left, right, cut }: Aligned<Item>, text: (item: Item) => string): string[] {
  if (shared.length + left.length + right.length === 0) return [];
  const own = { left, right };
  const lines = SIDES.flatMap((side) => [
    ...own[side].map((item) => marked(layout, side, text(item))),
    ...(cut[side] ? [marked(layout, side, '… more that are not shown')] : []),
  ]);
  const count = shared.length === 0 ? 'none' : `${cut.shared ? 'more than ' : ''}${shared.length}`;
  return [remark(layout, `${count} in common`), ...lines];
}

function differenceLines(layout: DiffLayout, what: string, texts: Texts): string[] {
  return SIDES.flatMap((side) => {
    const text = texts[side];
    return text === undefined ? [] : [marked(layout, side, `${what}: ${text}`)];
  });
}

/** An agent of one side only has both lines; of both sides, those that differ. */
function agentLines(layout: DiffLayout, { agent, left, right }: Difference<ComparedAgent>): string[] {
  return (['model', 'prompt'] as const)
    .filter((field) => left?.[field] !== right?.[field])
    .flatMap((field) => {
      const texts = { ...(left && { left: left[field] }), ...(right && { right: right[field] }) };
      return differenceLines(layout, `${agent} ${field}`, texts);
    });
}

const rest = (layout: DiffLayout, { complete }: { complete: boolean }): string[] =>
  complete ? [] : [remark(layout, '… more that are not shown')];
