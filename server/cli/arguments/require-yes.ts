// Question before an irreversible action: only "y" and "yes" let it happen.
import { createInterface } from 'node:readline/promises';
import { CliError, EXIT, usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';

export interface Question {
  readonly question: string;
  /** Error without a terminal to confirm on. */
  readonly unasked: string;
  /** State of things after another answer: "nothing was deleted". */
  readonly outcome: string;
  /** Lines printed before the question. */
  readonly shown?: readonly string[];
}

/** Resolves after "y" or "yes"; throws otherwise. */
export async function requireYes(invocation: Invocation, { question, unasked, outcome, shown = [] }: Question): Promise<void> {
  const { stdin, stderr } = invocation.terminal;
  if (!stdin.isTTY) throw usageError(unasked, 'add --yes, or see what it is with --dry-run');
  invocation.note(...shown);
  const prompt = createInterface({ input: stdin, output: stderr.stream });
  const answer = await prompt
    .question(`${question} [y/N] `)
    .catch((error: unknown) => {
      if ((error as Error).name !== 'AbortError') throw error;
      invocation.note('');
      throw new CliError(`interrupted; ${outcome}`, { exitCode: EXIT.interrupted });
    })
    .finally(() => prompt.close());
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError(outcome);
}
