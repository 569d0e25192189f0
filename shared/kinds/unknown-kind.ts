// Message for a `kind` that does not exist: the same sentence from the server, svcctl and the console.
import { nearestWord } from '../nearest-word.ts';

interface NamedKind {
  readonly kind: string;
  readonly plural: string;
}

/** The kind that a mistyped kind or plural most likely means. */
export function nearestKind<Kind extends NamedKind>(word: string, kinds: readonly Kind[]): Kind | undefined {
  const near = nearestWord(
    word,
    kinds.flatMap(({ kind, plural }) => [kind, plural]),
  );
  return kinds.find(({ kind, plural }) => kind === near || plural === near);
}

export function unknownKindMessage(value: unknown, kinds: readonly NamedKind[]): string {
  const all = kinds.map(({ kind }) => kind).join(', ');
  if (typeof value !== 'string' || value === '') return `must be one of ${all}`;
  const near = nearestKind(value, kinds);
  return near ? `"${value}" is not a kind; did you mean "${near.kind}"?` : `"${value}" is not a kind; the kinds are ${all}`;
}
