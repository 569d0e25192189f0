// Text of a trial: its breakpoints, pinned outputs, the part of the system that runs, and different definitions. Pure.
import type { Run } from '../../runs/model/run.ts';

export type Trial = NonNullable<Run['spec']['trial']>;

/** One part of the sentence; the earlier run that it names is at its end. */
export interface TrialPart {
  readonly words: string;
  readonly task?: string;
}

const LISTED_MAX = 8;

export function isTrial({ status }: Pick<Run, 'status'>): boolean {
  return status.trial === 'true';
}

export function waitsAtBreakpoint({ status }: Pick<Run, 'status'>): boolean {
  return status.blockedOn?.kind === 'Breakpoint';
}

function stopWords(breakpoints: TrialBody['breakpoints'] = []): TrialPart[] {
  if (breakpoints.length === 0) return [];
  const named = breakpoints.slice(0, LISTED_MAX).map(({ node, at }) => `${at} ${node}`);
  const more = breakpoints.length - named.length;
  return [{ words: `stops ${named.join(', ')}${more > 0 ? ` and at ${more} more` : ''}` }];
}

function pinWords(pins: TrialBody['pins'] = []): TrialPart[] {
  const said = pins.slice(0, LISTED_MAX).map(({ node, task }): TrialPart => {
    return task === undefined ? { words: `${node} pinned` } : { words: `${node} reused from`, task };
  });
  const more = pins.length - said.length;
  return more > 0 ? [...said, { words: `${more} more pinned` }] : said;
}

export type TrialBody = Partial<Omit<Trial, 'breakpoints' | 'pins'>> & {
  readonly breakpoints?: readonly { readonly node: string; readonly at: string }[];
  readonly pins?: readonly { readonly node: string; readonly output?: string; readonly task?: string }[];
};

function changeWords({ versions = [], overrides }: TrialBody): TrialPart[] {
  const words = [
    ...versions.map(({ kind, name, generation }) => `version ${generation} of ${kind === 'AgentSystem' ? `the system ${name}` : name}`),
    ...Object.entries(overrides?.model ?? {}).map(([agent, model]) => `${agent} uses ${model}`),
    ...Object.keys(overrides?.prompt ?? {}).map((agent) => `another prompt of ${agent}`),
  ];
  const more = words.length - LISTED_MAX;
  return [...words.slice(0, LISTED_MAX), ...(more > 0 ? [`${more} more changes`] : [])].map((each) => ({ words: each }));
}

export function trialParts({ breakpoints, pins, only, from, ...changes }: TrialBody): TrialPart[] {
  const onlyTask = only?.task;
  return [
    ...(only
      ? [
          onlyTask === undefined
            ? { words: `runs only ${only.node}` }
            : { words: `runs only ${only.node}, with the input from`, task: onlyTask },
        ]
      : []),
    ...(from ? [{ words: `runs from ${from.node}, with the results before it from`, task: from.task }] : []),
    ...pinWords(pins),
    ...stopWords(breakpoints),
    ...changeWords(changes),
  ];
}

/** The same as one line: "runs only writer · planner pinned". */
export function trialText(trial: TrialBody): string {
  return trialParts(trial)
    .map(({ words, task }) => (task === undefined ? words : `${words} ${task}`))
    .join(' · ');
}
