// The trial that options of `svcctl run` describe: breakpoints, pinned outputs, the part of the system that runs, other definitions.
import { parseDuration } from '@svc/shared/duration';
import type { TrialSpec } from '@svc/shared/kinds/task/schema';
import { usageError } from '../program/exit-codes.ts';
import { inputFromPairs, pairOf } from './input-pairs.ts';
import { taskNameFromWord } from './named-argument.ts';
import { textGiven, type Terminal } from '../program/terminal.ts';

export interface TrialOptions {
  readonly breakBefore?: readonly string[] | undefined;
  readonly breakAfter?: readonly string[] | undefined;
  readonly pin?: readonly string[] | undefined;
  readonly pinFrom?: readonly string[] | undefined;
  readonly only?: string | undefined;
  readonly from?: string | undefined;
  readonly trialWait?: string | undefined;
  readonly agentVersion?: readonly string[] | undefined;
  readonly systemVersion?: number | undefined;
  readonly agentModel?: readonly string[] | undefined;
  readonly agentPrompt?: readonly string[] | undefined;
}

/** Undefined without any of the options. Throws a usage error for a malformed value. `systemVersion` waits for the system's name. */
export async function trialOf(terminal: Terminal, options: TrialOptions): Promise<Partial<TrialSpec> | undefined> {
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
    ...(await changesOf(terminal, options)),
  };
  return Object.keys(trial).length > 0 ? trial : undefined;
}

async function changesOf(terminal: Terminal, options: TrialOptions): Promise<Pick<TrialSpec, 'versions' | 'overrides'>> {
  const { agentVersion = [], agentModel = [], agentPrompt = [] } = options;
  const versions = agentVersion.map((text) => {
    const [name, generation] = pairOf(text, '--agent-version', 'AGENT=VERSION');
    if (!/^[1-9]\d{0,14}$/.test(generation))
      throw usageError(`--agent-version ${text} is not AGENT=VERSION`, 'a version is a whole number');
    return { kind: 'Agent' as const, name, generation: Number(generation) };
  });
  const prompts = agentPrompt.map((text) => pairOf(text, '--agent-prompt', 'AGENT=TEXT'));
  if (prompts.filter(([, text]) => text === '-').length > 1) throw usageError('only one --agent-prompt reads standard input');
  const read = await Promise.all(prompts.map(async ([agent, text]) => [agent, await textGiven(terminal, text)] as const));
  const overrides = {
    ...(agentModel.length > 0 && { model: inputFromPairs(agentModel, '--agent-model', 'AGENT=ENDPOINT') }),
    ...(read.length > 0 && { prompt: Object.fromEntries(read) }),
  };
  return { ...(versions.length > 0 && { versions }), ...(Object.keys(overrides).length > 0 && { overrides }) };
}

/** The trial over that of a manifest: each field of an option replaces the manifest's. */
export function mergeTrial(
  of: { readonly trial?: Partial<TrialSpec>; readonly system?: unknown },
  trial: Partial<TrialSpec> | undefined,
  systemVersion: number | undefined,
): Partial<TrialSpec> | undefined {
  if (trial === undefined && systemVersion === undefined) return of.trial;
  const agents = trial?.versions ?? of.trial?.versions ?? [];
  const system = { kind: 'AgentSystem', name: String(of.system), generation: systemVersion ?? 0 } as const;
  const versions = systemVersion === undefined ? agents : [...agents.filter(({ kind }) => kind !== system.kind), system];
  const overrides = { ...of.trial?.overrides, ...trial?.overrides };
  return {
    ...of.trial,
    ...trial,
    ...(versions.length > 0 && { versions }),
    ...(Object.keys(overrides).length > 0 && { overrides }),
  };
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
