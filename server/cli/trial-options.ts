// The trial that options of `svcctl run` describe: breakpoints, pinned outputs, the part of the system that runs.
import { parseDuration } from '@svc/shared/duration';
import type { TrialSpec } from '@svc/shared/kinds/task/schema';
import { usageError } from './exit-codes.ts';
import { pairOf } from './input-pairs.ts';
import { taskNameFromWord } from './named-argument.ts';

export interface TrialOptions {
  readonly breakBefore?: readonly string[] | undefined;
  readonly breakAfter?: readonly string[] | undefined;
  readonly pin?: readonly string[] | undefined;
  readonly pinFrom?: readonly string[] | undefined;
  readonly only?: string | undefined;
  readonly from?: string | undefined;
  readonly trialWait?: string | undefined;
}

/** Undefined without any of the options. Throws a usage error for a malformed value. */
export function trialOf(options: TrialOptions): Partial<TrialSpec> | undefined {
  const { breakBefore = [], breakAfter = [], pin = [], pinFrom = [], only, from, trialWait } = options;
  if (only !== undefined && from !== undefined) throw usageError('--only and --from cannot be combined', 'choose one of them');
  const breakpoints = [
    ...breakBefore.map((node) => ({ node: nodeOf('--break-before', node), at: 'before' as const })),
    ...breakAfter.map((node) => ({ node: nodeOf('--break-after', node), at: 'after' as const })),
  ];
  const pins = [
    ...pin.map((text) => pairOf(text, '--pin', 'NODE=TEXT')).map(([node, output]) => ({ node, output })),
    ...pinFrom.map((text) => nodeAndTask('--pin-from', text)),
  ];
  const trial = {
    ...(breakpoints.length > 0 && { breakpoints }),
    ...(pins.length > 0 && { pins }),
    ...(only !== undefined && { only: only.includes('=') ? nodeAndTask('--only', only) : { node: nodeOf('--only', only) } }),
    ...(from !== undefined && { from: nodeAndTask('--from', from) }),
    ...(trialWait !== undefined && { wait: waitOf(trialWait) }),
  };
  return Object.keys(trial).length > 0 ? trial : undefined;
}

function nodeOf(flag: string, node: string): string {
  if (node.trim() === '') throw usageError(`${flag} needs the name of an agent`);
  return node;
}

function nodeAndTask(flag: string, text: string): { node: string; task: string } {
  const [node, word] = pairOf(text, flag, 'NODE=TASK');
  const task = taskNameFromWord(word);
  if (task === '') throw usageError(`${flag} ${text} is not NODE=TASK`);
  return { node, task };
}

function waitOf(text: string): string {
  if (!parseDuration(text)) throw usageError(`--trial-wait ${text} is not a duration such as 30m or 2h`);
  return text;
}
