// Port of a command module: its arguments, options and action, filled in when the user runs that command.
import { InvalidArgumentError, type Command } from '@commander-js/extra-typings';
import type { Invocation } from './invocation.ts';

/** Runs an action with an invocation; its result is the exit code, nothing meaning 0. */
export type Run = (action: (invocation: Invocation) => Promise<number | void>) => Promise<void>;

export type CommandSetup = (command: Command, run: Run) => void;

/** One command of svcctl, loaded only when requested. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly group: string;
  readonly hidden?: true;
  readonly load: () => Promise<CommandSetup>;
}

/** Parser of a repeatable option: values in the order given. */
export const collect = (value: string, previous: string[] = []): string[] => [...previous, value];

/** Parser of a whole number of this form; `bound` ends the sentence of its refusal. */
export const wholeNumber =
  (form: RegExp, bound = '') =>
  (value: string): number => {
    if (!form.test(value)) throw new InvalidArgumentError(`It must be a whole number${bound}.`);
    return Number(value);
  };
