// A task named on the command line, with or without `task/` in front.
import { usageError } from './exit-codes.ts';
import { objectFromWord } from './kind-arguments.ts';

export function taskNameFromWord(word: string): string {
  if (!word.includes('/')) return word;
  const { kind, name } = objectFromWord(word);
  if (kind.kind !== 'Task') throw usageError(`"${word}" is not a task`);
  return name;
}
