// Asks the server for the effect of documents by a dry run. Refused documents are set aside and the rest is checked again, so that each
// document gets an answer.
import { client } from '../../../live/api.ts';
import { problemOf, type Problem } from '../../../live/problem.ts';
import { DOCUMENTS_MAX, ownProblems, placeProblem, type ImportDocument, type PlacedProblem, type Verdict } from './import-documents.ts';

/** The server reports all errors of form at once, but conflicts with stored objects one at a time. */
const ROUNDS_MAX = 25;

export type Verdicts = ReadonlyMap<string, Verdict>;

type Answer = Awaited<ReturnType<typeof client.resources.applyAll.mutate>>;

const keyOf = (kind: string, namespace: string, name: string) => `${kind} ${namespace}/${name}`;

/** Verdict of the answer for each document. */
export function verdictsOf(answer: Answer, documents: readonly ImportDocument[], namespace: string): Map<string, Verdict> {
  const byKey = new Map(answer.map((each) => [keyOf(each.kind, each.namespace, each.name), each]));
  return new Map(
    documents.flatMap((document): [string, Verdict][] => {
      const result = byKey.get(keyOf(document.kind, document.namespace || namespace, document.name));
      if (!result || result.action === 'pruned') return [];
      const { action: state, warnings = [], crdManaged = false, found } = result;
      const missing = [...new Set((result.missing ?? []).map((each) => keyOf(each.kind, each.namespace, each.name)))];
      return [[document.id, { state, warnings, crdManaged, missing, found }]];
    }),
  );
}

/** Version that each document was compared with, so that a later change is not overwritten unseen. */
export function preconditionsOf(documents: readonly ImportDocument[], verdicts: Verdicts) {
  return documents.map(({ id }) => {
    const verdict = verdicts.get(id);
    if (!verdict || verdict.state === 'invalid') return null;
    return verdict.found ?? { mustNotExist: true as const };
  });
}

/** Documents that a refusal names, with the problems of each. */
export function refusedBy({ message, details }: Problem, documents: readonly ImportDocument[]): Map<string, PlacedProblem[]> {
  const found = new Map<string, PlacedProblem[]>();
  for (const detail of details.length > 0 ? details : [{ path: /^documents\[\d+\]/.exec(message)?.[0] ?? '', message }]) {
    const placed = placeProblem(detail, documents);
    if (placed) found.set(placed.id, [...(found.get(placed.id) ?? []), placed.problem]);
  }
  return found;
}

/** Rejects when the server could not be reached, or refuses the whole for a reason without a document. */
export async function checkDocuments(all: readonly ImportDocument[], namespace: string): Promise<Verdicts> {
  const verdicts = new Map<string, Verdict>();
  for (const document of all) {
    const problems = ownProblems(document);
    if (problems.length > 0) verdicts.set(document.id, { state: 'invalid', problems });
  }
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const left = all.filter(({ id }) => !verdicts.has(id));
    if (left.length === 0 || left.length > DOCUMENTS_MAX) return verdicts;
    const refused = await tryAll(left, namespace, verdicts);
    if (refused === undefined) return verdicts;
    for (const [id, problems] of refused) verdicts.set(id, { state: 'invalid', problems });
  }
  return verdicts;
}

/** Undefined when all would be applied. */
async function tryAll(documents: readonly ImportDocument[], namespace: string, verdicts: Map<string, Verdict>) {
  try {
    const answer = await client.resources.applyAll.mutate({ documents: documents.map(({ body }) => body), namespace, dryRun: true });
    for (const [id, verdict] of verdictsOf(answer, documents, namespace)) verdicts.set(id, verdict);
    return undefined;
  } catch (error) {
    const refused = refusedBy(problemOf(error), documents);
    if (refused.size === 0) throw error;
    return refused;
  }
}
