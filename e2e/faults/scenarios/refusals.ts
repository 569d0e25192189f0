// Expected answers of a server while its store cannot write.
import type { Violation } from '../check/evidence.ts';
import type { Refusal } from '../world/load.ts';

const SENTENCE = /^[a-z].{20,}$/i;

/** Every refusal is a 503 with a sentence, and there was at least one. */
export function refusedProperly(refusals: readonly Refusal[]): Violation[] {
  const invariant = 'a write that cannot be made is refused with 503 and a sentence';
  if (refusals.length === 0) return [{ invariant, detail: 'nothing was refused, so nothing was shown' }];
  const wrong = refusals.filter(({ status, code, message }) => status !== 503 || code !== 'unavailable' || !SENTENCE.test(message));
  return wrong.slice(0, 3).map((refusal) => ({ invariant, detail: JSON.stringify(refusal) }));
}

/** The different sentences of the refusals. */
export const sentences = (refusals: readonly Refusal[]): string[] => [...new Set(refusals.map(({ message }) => message))];

/** Waits until `reached` returns true, polling every few milliseconds; false after `timeoutMs`. */
export async function within(timeoutMs: number, reached: () => boolean): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (!reached() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
  return reached();
}
