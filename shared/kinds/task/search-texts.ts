// Searchable texts of a Task. Pure.
// The console's first screen loads this: it imports no schema.
import { runOutput } from './run-output.ts';

interface SearchedTask {
  readonly name: string;
  readonly generation: number;
  readonly spec: { readonly input?: Readonly<Record<string, string>> | undefined };
  readonly status: {
    readonly completedAt?: string | undefined;
    readonly lastError?: string | undefined;
    readonly output?: Readonly<Record<string, string>> | undefined;
  };
}

/** Error and output once the Task has ended: before, they change with each attempt. */
export function taskSearchTexts({ name, spec, status }: SearchedTask): Readonly<Record<string, string>> {
  const { completedAt, lastError, output } = status;
  const { answer } = runOutput(output);
  return {
    ...(completedAt !== undefined && lastError !== undefined && { error: lastError }),
    ...(completedAt !== undefined && answer !== undefined && { output: answer }),
    ...(spec.input && { input: Object.values(spec.input).join('\n') }),
    name,
  };
}

/** Another text whenever the texts may be others: at the start, with each change of the spec, at the end, and when a retry takes the end back. */
export function taskTextVersion({ generation, status }: SearchedTask): string {
  return `${generation}@${status.completedAt ?? ''}`;
}
