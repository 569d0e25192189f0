// How many hidden characters the texts of a JSON value hold: in JSON text a control character is escaped, and would be counted as readable. Pure.
import { countHidden } from '../../../ui/text/hidden-characters.ts';

export function countHiddenIn(value: unknown): number {
  if (typeof value === 'string') return countHidden(value);
  if (Array.isArray(value)) return (value as unknown[]).reduce((sum: number, each) => sum + countHiddenIn(each), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, each]) => sum + countHidden(key) + countHiddenIn(each), 0);
}
