// One record that is not a resource, as data, by its name, or as the command prints it by itself.
import type { Invocation } from '../program/invocation.ts';
import { yamlText } from './data-text.ts';

export const RECORD_FORMATS = ['table', 'json', 'yaml', 'name'] as const;

/** With format `table` the command prints by itself. */
export function printRecord(invocation: Invocation, value: unknown, names: { name: string; table: () => void }): void {
  const format = invocation.format(RECORD_FORMATS);
  if (format === 'json') return invocation.out(JSON.stringify(value, null, 2));
  if (format === 'yaml') return invocation.out(yamlText(value));
  return format === 'name' ? invocation.out(names.name) : names.table();
}
