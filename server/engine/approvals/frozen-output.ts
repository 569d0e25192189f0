// An output as a reviewer is shown it: text as it is, and JSON as such where nothing is lost by reading it.
import { isDeeperThan, isObject } from '@svc/shared/json';
import { ARGUMENTS_DEPTH_MAX } from '../core/limits.ts';

export interface FrozenOutput {
  readonly output: string | Readonly<Record<string, unknown>>;
  readonly output_format: 'text' | 'json';
}

/** An object is kept as one; an array stays text, as does a value that would change when it is written again (long numbers, repeated keys). */
export function frozenOutput(output: string): FrozenOutput {
  const value = parsed(output);
  if (typeof value !== 'object' || value === null || isDeeperThan(value, ARGUMENTS_DEPTH_MAX)) return { output, output_format: 'text' };
  const same = isObject(value) && JSON.stringify(value) === withoutSpaces(output);
  return { output: same ? value : output, output_format: 'json' };
}

function parsed(output: string): unknown {
  const first = output.trimStart()[0];
  if (first !== '{' && first !== '[') return undefined;
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
}

/** Valid JSON without the spaces between its tokens. */
function withoutSpaces(json: string): string {
  const kept: string[] = [];
  let inString = false;
  let from = 0;
  for (let at = 0; at < json.length; at += 1) {
    const char = json[at] ?? '';
    if (inString && char === '\\') at += 1;
    else if (char === '"') inString = !inString;
    else if (!inString && /\s/.test(char)) {
      kept.push(json.slice(from, at));
      from = at + 1;
    }
  }
  return kept.join('') + json.slice(from);
}
