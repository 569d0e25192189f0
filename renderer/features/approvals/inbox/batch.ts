// Calls that are decided together, grouped by input: equal inputs are read once. Pure.
import { subjectOf } from '../model/approval.ts';
import { countHiddenIn } from '../decision/hidden-in-json.ts';
import { readInput } from '../model/input-text.ts';
import type { QueueItem } from './queue.ts';

/** Maximum length of an input in a batch, which is read as a whole: a longer input needs a decision of its own. */
export const BATCH_INPUT_MAX_CHARS = 4_096;

export interface BatchInput {
  /** As shown: indented where it is JSON, else unchanged. */
  readonly text: string;
  readonly hidden: number;
  readonly items: readonly QueueItem[];
  /** Reason why calls of this input cannot be approved together with others. */
  readonly problem: string | undefined;
}

function problemOf(text: string, { approval }: QueueItem): string | undefined {
  const call = `The call of ${subjectOf(approval)} by ${approval.task.name}`;
  if (text.length > BATCH_INPUT_MAX_CHARS) return `${call} has an input that is too long to show here. Decide it separately.`;
  const { kind } = readInput(text);
  return kind === 'invalid' || kind === 'other' ? `${call} has an input that no tool accepts. Decide it separately.` : undefined;
}

function inputOf(text: string, items: readonly [QueueItem, ...QueueItem[]]): BatchInput {
  const read = text.length > BATCH_INPUT_MAX_CHARS ? undefined : readInput(text);
  const value = read && 'value' in read ? read.value : undefined;
  return {
    text: value === undefined ? text : JSON.stringify(value, null, 2),
    hidden: value === undefined ? 0 : countHiddenIn(value),
    items,
    problem: problemOf(text, items[0]),
  };
}

/** The different inputs of a batch, in the order of its calls. */
export function batchInputs(items: readonly QueueItem[]): BatchInput[] {
  const byText = new Map<string, [QueueItem, ...QueueItem[]]>();
  for (const item of items) {
    const text = item.approval.kind === 'ToolApproval' ? item.approval.input : '';
    const same = byText.get(text);
    if (same) same.push(item);
    else byText.set(text, [item]);
  }
  return [...byText].map(([text, same]) => inputOf(text, same));
}
