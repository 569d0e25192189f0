// Check of the texts that statements bind, the same for every engine. Independent of any schema.
// The SQLite drivers cut a text at U+0000 and PostgreSQL refuses it; both replace an unpaired surrogate. Inside JSON either is escaped.
import { ServiceError } from '@svc/shared/errors';

function textProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'the character U+0000';
  return text.isWellFormed() ? undefined : 'an unpaired surrogate';
}

/** Throws `invalid` for a text, alone or in an array, that an engine would store or compare as another text. */
export function assertBindable(values: readonly unknown[]): void {
  for (const value of values) {
    if (Array.isArray(value)) assertBindable(value);
    const problem = typeof value === 'string' ? textProblem(value) : undefined;
    if (problem !== undefined)
      throw new ServiceError('invalid', `a text holds ${problem}, which no name or indexed text may hold; remove it`);
  }
}
