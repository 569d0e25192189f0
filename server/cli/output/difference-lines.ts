// An object before and after a write as a unified diff of its YAML.
import { structuredPatch } from 'diff';
import type { Invocation } from '../program/invocation.ts';
import { objectWord } from '../arguments/kind-arguments.ts';

const CONTEXT_LINES = 3;
const TIME_MAX_MS = 2_000;

export interface Sides {
  readonly before: string;
  readonly after: string;
}

interface Difference {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly action: string;
}

export function differenceLines({ style }: Invocation, { kind, name, namespace, action }: Difference, { before, after }: Sides): string[] {
  const word = `${objectWord(kind, name)} in namespace ${namespace}`;
  const head = [
    style.bold(`--- ${action === 'created' ? 'nothing' : word}`),
    style.bold(`+++ ${word}${action === 'created' ? ', new' : ''}`),
  ];
  if (before === after) return [...head, style.dim('Values that are not shown would change.')];
  const patch = structuredPatch('', '', before, after, '', '', { context: CONTEXT_LINES, timeout: TIME_MAX_MS });
  const hunks = patch?.hunks ?? [];
  const lines = hunks.flatMap((hunk) => [
    style.accent(`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`),
    ...hunk.lines.map((line) => (line.startsWith('+') ? style.good(line) : line.startsWith('-') ? style.bad(line) : line)),
  ]);
  return [...head, ...(patch ? lines : ['The texts are too different to be compared.'])];
}
