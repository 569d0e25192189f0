// The tried change: its text for as long as the page lives, its documents once they can be read, and the answer with them.
import type { AccessCheckAnswer } from '@svc/shared/api/access';
import { jsonEquals } from '@svc/shared/json';
import { describeKey, type ResourceKey } from '@svc/shared/resource';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { client } from '../../live/api.ts';
import { problemOf, type Problem } from '../../live/problem.ts';
import { placesOf, refsOf, withDocument, type Documents } from './what-if.ts';

/** By namespace: a visit to a rule and back loses nothing. */
const kept = new Map<string, string>();

export interface WhatIf {
  readonly text: string;
  readonly setText: (text: string) => void;
  /** Puts a stored object into the text for editing. */
  readonly add: (ref: ResourceKey) => Promise<void>;
  readonly setDocuments: (documents: Documents | undefined) => void;
  /** Documents that the server accepted; undefined while nothing is tried. */
  readonly documents: Documents | undefined;
  readonly answer: AccessCheckAnswer | undefined;
  readonly problem: Problem | undefined;
  readonly diagnostics: ReturnType<typeof placesOf>;
}

const NONE: ReturnType<typeof placesOf> = [];

export function useWhatIf(home: string, question: Record<string, string> | undefined): WhatIf {
  const [texts, setTexts] = useState<ReadonlyMap<string, string>>(() => new Map(kept));
  const [read, setRead] = useState<Documents>();
  // Another text may have the same content: then no request is sent.
  const setDocuments = useCallback(
    (next: Documents | undefined) => setRead((before) => (before && next && jsonEquals(before, next) ? before : next)),
    [],
  );
  const text = texts.get(home) ?? '';
  const setText = useCallback(
    (next: string) => {
      kept.set(home, next);
      setTexts(new Map(kept));
      if (next.trim() === '') setDocuments(undefined);
    },
    [home, setDocuments],
  );
  const add = useCallback(
    async (ref: ResourceKey) => {
      const { objectYaml, splitDocuments } = await import('../../yaml/serialise.ts');
      const isThere = () => {
        const values = splitDocuments(kept.get(home) ?? '').flatMap(({ value }) => (value ? [value] : []));
        return refsOf(values, home).some((each) => describeKey(each) === describeKey(ref));
      };
      if (isThere()) return;
      const resource = await client.resources.get.query(ref);
      // Another press may have inserted it while it was loading.
      if (!isThere()) setText(withDocument(kept.get(home) ?? '', objectYaml(resource)));
    },
    [home, setText],
  );
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['what-if', home, read, question] as const,
    queryFn: ({ signal }) =>
      client.access.whatIf.mutate({ namespace: home, documents: [...(read ?? [])], questions: question ? [question] : [] }, { signal }),
    enabled: read !== undefined,
    // Answer while the text is edited, for the same call only: two calls are not compared.
    placeholderData: (before, last) => (jsonEquals(last?.queryKey[3], question) ? before : undefined),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const problem = useMemo(() => (read && error ? problemOf(error) : undefined), [read, error]);
  const diagnostics = useMemo(() => (problem?.code === 'invalid' ? placesOf(problem.details) : NONE), [problem]);
  const taken = read !== undefined && problem === undefined && data !== undefined && !isPlaceholderData;
  const [documents, setTaken] = useState<Documents>();
  const wanted = taken ? read : read === undefined || problem ? undefined : documents;
  if (wanted !== documents) setTaken(wanted);
  const answer = read !== undefined && problem === undefined && question !== undefined ? data?.[0] : undefined;
  return { text, setText, add, setDocuments, documents, answer, problem, diagnostics };
}
