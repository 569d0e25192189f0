// State of an import: sources, answers of the server, excluded documents, result.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useCanEdit } from '../../../sign-in/can-write.ts';
import { client } from '../../../live/api.ts';
import { problemOf, type Problem } from '../../../live/problem.ts';
import { blueprintsQuery } from '../blueprints.ts';
import { checkDocuments, preconditionsOf, refusedBy, verdictsOf, type Verdicts } from './check-documents.ts';
import { documentsOf, withText, type ImportDocument, type PlacedProblem } from './import-documents.ts';
import { bytesOf, IMPORT_MAX_BYTES, takeOver, type ImportSource, type ReadFiles } from '../model/sources.ts';

export interface AppliedImport {
  readonly verdicts: Verdicts;
  readonly documents: readonly ImportDocument[];
}

const NONE: ReadonlySet<string> = new Set();

/** Each set of sources has its own check. */
let sets = 0;

/** Sources from the list they were dropped on, from a sample, or added here. */
export function useSources(sample: string) {
  const [{ sources, refused, set, edits }, setAll] = useState(() => ({
    ...(takeOver() ?? { sources: [], refused: [] }),
    set: (sets += 1),
    edits: 0,
  }));
  const { data: blueprints } = useQuery({ ...blueprintsQuery, enabled: sample !== '' });
  useEffect(() => {
    const found = blueprints?.find(({ id }) => id === sample);
    if (found) setAll({ sources: [{ name: `Blueprint “${found.title}”`, text: found.text }], refused: [], set: (sets += 1), edits: 0 });
  }, [blueprints, sample]);
  const add = (read: ReadFiles) =>
    setAll((before) => ({ sources: [...before.sources, ...read.sources], refused: read.refused, set: (sets += 1), edits: 0 }));
  const remove = (source: ImportSource) =>
    setAll((before) => ({ sources: before.sources.filter((each) => each !== source), refused: [], set: (sets += 1), edits: 0 }));
  /** One document was edited: what was left out stays so. */
  const edit = (document: ImportDocument, text: string) =>
    setAll((before) => ({ ...before, sources: withText(before.sources, document, text), edits: before.edits + 1 }));
  return { sources, refused, set, edits, edit, add, clear: () => setAll({ sources: [], refused: [], set: (sets += 1), edits: 0 }), remove };
}

export type Sources = ReturnType<typeof useSources>;

export function useImport({ sources, set, edits, edit }: Pick<Sources, 'sources' | 'set' | 'edits' | 'edit'>, namespace: string) {
  const documents = useMemo(() => documentsOf(sources), [sources]);
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set());
  const [busy, setBusy] = useState(false);
  const [applied, setApplied] = useState<AppliedImport>();
  const [refused, setRefused] = useState<Problem>();
  const [faults, setFaults] = useState<ReadonlyMap<string, readonly PlacedProblem[]>>(new Map());
  const [overtaken, setOvertaken] = useState<ReadonlySet<string>>(NONE);
  useEffect(() => {
    setLeftOut(new Set());
    setApplied(undefined);
  }, [set]);
  useEffect(() => {
    setRefused(undefined);
    setFaults(new Map());
    setOvertaken(NONE);
  }, [set, edits]);
  const bytes = useMemo(() => bytesOf(sources), [sources]);
  const tooLarge = bytes > IMPORT_MAX_BYTES;
  const included = useMemo(() => documents.filter(({ id }) => !leftOut.has(id)), [documents, leftOut]);
  const write = useCanEdit();
  // The effect of a document can depend on the others, so excluded documents are not sent.
  const check = useQuery({
    queryKey: ['import-check', set, edits, namespace, [...leftOut].sort()],
    queryFn: () => checkDocuments(included, namespace),
    enabled: write.allowed && included.length > 0 && !tooLarge && applied === undefined,
    refetchInterval: false,
    gcTime: 0,
    placeholderData: (before, query) => (query?.queryKey[1] === set ? before : undefined),
  });
  const include = (ids: readonly string[], on: boolean) => {
    const next = new Set(leftOut);
    for (const id of ids) {
      if (on) next.delete(id);
      else next.add(id);
    }
    setLeftOut(next);
    setFaults(new Map());
    setRefused(undefined);
    setOvertaken(NONE);
  };
  const apply = async () => {
    setBusy(true);
    setRefused(undefined);
    setOvertaken(NONE);
    try {
      const preconditions = preconditionsOf(included, check.data ?? new Map());
      const answer = await client.resources.applyAll.mutate({ documents: included.map(({ body }) => body), namespace, preconditions });
      setApplied({ verdicts: verdictsOf(answer, included, namespace), documents: included });
    } catch (error) {
      const problem = problemOf(error);
      const named = refusedBy(problem, included);
      if (problem.code === 'conflict' && named.size > 0) {
        // The new effect is shown before anybody applies the documents again.
        setOvertaken(new Set(named.keys()));
        await check.refetch();
      } else {
        setFaults(named);
        setRefused(problem);
      }
    }
    setBusy(false);
  };
  return { documents, included, leftOut, include, bytes, tooLarge, check, faults, overtaken, busy, apply, applied, refused, edit };
}

export type Import = ReturnType<typeof useImport>;
