// Limits of the work on this machine, as a person types them. Pure.
import type { WorkLimits } from '@svc/shared/control';

export interface LimitField {
  readonly key: keyof WorkLimits;
  readonly title: string;
  readonly text: string;
  /** Shown where nothing is typed: the default of the server. */
  readonly fallback: string;
  readonly min: number;
  readonly max: number;
  readonly pattern: RegExp;
  /** Reason why another text is refused. */
  readonly form: string;
}

export const LIMIT_FIELDS: readonly LimitField[] = [
  {
    key: 'maxConcurrentTasks',
    title: 'Runs at once',
    text: 'Fewer leave more of the machine to you; empty means 16.',
    fallback: '16',
    min: 1,
    max: 256,
    pattern: /^\d{1,3}$/,
    form: 'Runs at once: a whole number from 1 to 256, or nothing',
  },
  {
    key: 'containerMemoryMiB',
    title: 'Memory of a container, in MiB',
    text: 'Maximum for each tool that runs in a container; empty means 1024. A sandbox has at most 128.',
    fallback: '1024',
    min: 16,
    max: 1_048_576,
    pattern: /^\d{1,7}$/,
    form: 'Memory of a container: a whole number of MiB from 16 on, or nothing',
  },
  {
    key: 'containerCpus',
    title: 'Processors of a container',
    text: 'Such as 0.5 or 2, and no more than the container engine has; empty means 1. A sandbox has at most 0.5.',
    fallback: '1',
    min: 0.1,
    max: 256,
    pattern: /^\d{1,3}(?:\.\d{1,2})?$/,
    form: 'Processors of a container: a number from 0.1 to 256, or nothing',
  },
];

/** Null: the default; undefined: no limit that the app takes. */
export function limitOf(text: string, { min, max, pattern }: LimitField): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const limit = Number(trimmed);
  return pattern.test(trimmed) && limit >= min && limit <= max ? limit : undefined;
}
