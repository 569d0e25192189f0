// Values given as KEY=VALUE.
import { usageError } from './exit-codes.ts';

export function inputFromPairs(pairs: readonly string[], flag = '--input', form = 'KEY=VALUE'): Record<string, string> {
  const entries = pairs.map((text): [string, string] => {
    const at = text.indexOf('=');
    if (at < 1) throw usageError(`${flag} ${text} is not ${form}`);
    return [text.slice(0, at), text.slice(at + 1)];
  });
  return Object.fromEntries(entries);
}
