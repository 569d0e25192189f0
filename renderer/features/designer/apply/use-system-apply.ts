// The way of a system and its drafts to the server: a dry run of all, a review, one transaction, and one step back.
import type { Resource } from '@svc/shared/resource';
import { useCallback, useRef, useState } from 'react';
import { sameForEditing } from '../../../editor/apply-plan.ts';
import { storedAs } from '../../../editor/stored-as.ts';
import { api, client } from '../../../live/api.ts';
import { problemOf, type Problem } from '../../../live/problem.ts';
import { queryClient } from '../../../live/query-client.ts';
import { toastDone, toastError } from '../../../ui/overlay/toast.ts';
import { draftId, type DraftObject } from '../document/drafts.ts';
import { keepLastApply } from './last-apply.ts';
import { problemOfObject, requestFor, undoOf, type AppliedObject, type ObjectProblem } from './system-apply.ts';

type ApplyResults = Awaited<ReturnType<typeof client.resources.applyAll.mutate>>;

/** An object that others changed, made or deleted since the draft began. */
export interface ConcurrentChange {
  readonly object: DraftObject;
  /** Undefined when it was deleted. */
  readonly theirs: Resource | undefined;
}

export interface ApplyReview {
  readonly objects: readonly DraftObject[];
  /** By `draftId`; empty while the dry run found problems. */
  readonly results: ReadonlyMap<string, ApplyResults[number]>;
  readonly problems: readonly ObjectProblem[];
  readonly overtaken: readonly ConcurrentChange[];
  /** A refusal that belongs to no object. */
  readonly failure: Problem | undefined;
  /** The failure is a write without an answer: it may have happened. */
  readonly unsure: boolean;
}

type SystemApplyState =
  | { readonly step: 'editing' }
  | { readonly step: 'checking' }
  | { readonly step: 'review' | 'rechecking' | 'writing'; readonly reviewed: ApplyReview };

export interface SystemApplyOptions {
  readonly namespace: string;
  /** `namespace/name` of the system. */
  readonly system: string;
  /** Drafts and the system, in reading order. */
  readonly objects: readonly DraftObject[];
  /** Called with a merged text, based on the object as it is now; undefined when it was deleted. */
  readonly onMerged: (object: DraftObject, text: string, theirs: Resource | undefined) => void;
  /** The same content with the newest version, after writes to statuses. */
  readonly onRebase: (objects: readonly DraftObject[]) => void;
  /** Called with the stored objects, in the order of the objects that were sent. */
  readonly onApplied: (stored: readonly Resource[], sent: readonly DraftObject[]) => void;
}

export interface SystemApply {
  readonly state: SystemApplyState;
  readonly review: () => void;
  readonly write: () => void;
  /** Checks and writes without a stop; resolves with whether it was written. Shows the review when a problem prevents it. */
  readonly applyNow: () => Promise<boolean>;
  /** Takes a merged text and repeats the review with it. */
  readonly merge: (overtaken: ConcurrentChange, text: string) => void;
  readonly back: () => void;
}

const EDITING: SystemApplyState = { step: 'editing' };
const NOTHING: Omit<ApplyReview, 'objects'> = { results: new Map(), problems: [], overtaken: [], failure: undefined, unsure: false };
const RETRIES_MAX = 4;

async function current({ kind, namespace, name }: DraftObject): Promise<Resource | undefined> {
  try {
    return await client.resources.get.query({ kind, namespace, name });
  } catch (error) {
    if (problemOf(error).code === 'not_found') return undefined;
    throw error;
  }
}

/** Reads the objects that a conflict names: takes over newer versions with the same content, and reports the others. */
async function checkAgain(
  objects: readonly DraftObject[],
  problem: Problem,
): Promise<{ rebased: readonly DraftObject[]; overtaken: readonly ConcurrentChange[] }> {
  const named = new Set(problem.details.flatMap((detail) => problemOfObject(objects, detail)?.id ?? []));
  const overtaken: ConcurrentChange[] = [];
  const rebased = await Promise.all(
    objects.map(async (object) => {
      if (!named.has(draftId(object))) return object;
      const theirs = await current(object);
      const { base } = object;
      if (theirs && base && theirs.metadata.uid === base.metadata.uid && sameForEditing(theirs, base)) return { ...object, base: theirs };
      if (theirs === undefined && base === undefined) return object;
      overtaken.push({ object, theirs });
      return object;
    }),
  );
  return { rebased, overtaken };
}

interface SentApply {
  readonly objects: readonly DraftObject[];
  readonly results: ApplyResults;
}

async function send(namespace: string, given: readonly DraftObject[], dryRun: boolean): Promise<SentApply | ApplyReview> {
  let objects = given;
  for (let tries = 0; ; tries += 1) {
    const request = requestFor(objects);
    if ('problems' in request) return { ...NOTHING, objects, problems: request.problems };
    const { documents, preconditions } = request;
    try {
      const results = await client.resources.applyAll.mutate({
        ...{ namespace, dryRun },
        documents: [...documents],
        preconditions: [...preconditions],
      });
      return { objects, results };
    } catch (error) {
      const problem = problemOf(error);
      if (problem.code !== 'conflict' || tries >= RETRIES_MAX) return refused(objects, problem);
      const { rebased, overtaken } = await checkAgain(objects, problem);
      if (overtaken.length > 0) return { ...NOTHING, objects, overtaken };
      if (rebased.every((object, index) => object === objects[index])) return refused(objects, problem);
      objects = rebased;
    }
  }
}

function refused(objects: readonly DraftObject[], problem: Problem): ApplyReview {
  const problems = problem.details.flatMap((detail) => problemOfObject(objects, detail) ?? []);
  return { ...NOTHING, objects, problems, failure: problems.length > 0 ? undefined : problem };
}

/** The stored objects, if a write of these would change nothing. */
async function storedAsMeant(objects: readonly DraftObject[]): Promise<readonly Resource[] | undefined> {
  const stored = await Promise.all(objects.map((object) => storedAs(object.text, object, { metadata: object })));
  return stored.every((resource) => resource !== undefined) ? stored : undefined;
}

const idOfResult = ({ kind, namespace, name }: ApplyResults[number]) => draftId({ kind, namespace, name });

/** Takes the whole apply back, unless somebody changed one of its objects since. */
async function undo(namespace: string, applied: readonly AppliedObject[]): Promise<void> {
  try {
    const keys = applied.map(({ after: { kind, metadata } }) => ({ kind, namespace: metadata.namespace, name: metadata.name, text: '' }));
    const plan = undoOf(applied, await Promise.all(keys.map(current)));
    if ('changed' in plan) {
      toastError('Not undone', new Error(`${plan.changed.join(', ')} changed since. Edit it instead.`));
      return;
    }
    await client.resources.applyAll.mutate({
      namespace,
      documents: [...plan.documents],
      preconditions: [...plan.preconditions],
      removals: plan.removals,
    });
    keepLastApply(undefined);
    toastDone('Undone: everything is as it was before');
  } catch (error) {
    toastError('Not undone', error);
  }
}

const isStopped = (sent: SentApply | ApplyReview): sent is ApplyReview => 'problems' in sent;

/** The dry run of an apply and its write. Both resolve with what keeps it from being written; undefined once it is written. */
function useRequests({ namespace, system, objects, onRebase, onApplied }: SystemApplyOptions) {
  const unanswered = useRef(false);
  const finish = (given: readonly DraftObject[], stored: readonly Resource[]): undefined => {
    unanswered.current = false;
    for (const resource of stored) {
      const { kind, metadata } = resource;
      queryClient.setQueryData(api.resources.get.queryKey({ kind, namespace: metadata.namespace, name: metadata.name }), resource);
    }
    const applied = stored.map((after, index) => ({ before: given[index]?.base, after }));
    onApplied(stored, given);
    keepLastApply({ system, count: stored.length, undo: () => void undo(namespace, applied) });
  };
  /** Finds out first whether an earlier write without an answer was stored. */
  const check = async (given = objects): Promise<ApplyReview | undefined> => {
    const own = unanswered.current ? await storedAsMeant(given) : undefined;
    if (own) return finish(given, own);
    const sent = await send(namespace, given, true);
    // A refusal says nothing of an earlier write.
    if (isStopped(sent)) return { ...sent, unsure: unanswered.current && sent.failure !== undefined && sent.failure.code !== 'conflict' };
    unanswered.current = false;
    if (sent.objects !== given) onRebase(sent.objects);
    return { ...NOTHING, objects: sent.objects, results: new Map(sent.results.map((result) => [idOfResult(result), result])) };
  };
  const store = async (given: readonly DraftObject[]): Promise<ApplyReview | undefined> => {
    const sent = await send(namespace, given, false);
    const unsure = (failure: Problem): ApplyReview => {
      unanswered.current = true;
      return { ...NOTHING, objects: sent.objects, failure, unsure: true };
    };
    if (!isStopped(sent)) {
      const read = ({ kind, namespace: home, name }: DraftObject) => client.resources.get.query({ kind, namespace: home, name });
      return Promise.all(sent.objects.map(read)).then(
        (stored) => finish(sent.objects, stored),
        (error: unknown) => unsure(problemOf(error)),
      );
    }
    if (sent.failure?.code !== 'unreachable') return sent;
    const stored = await storedAsMeant(sent.objects);
    return stored ? finish(sent.objects, stored) : unsure(sent.failure);
  };
  return { check, store };
}

export function useSystemApply(options: SystemApplyOptions): SystemApply {
  const [state, setState] = useState<SystemApplyState>(EDITING);
  const run = useRef(0);
  const { objects, onMerged } = options;
  const { check, store } = useRequests(options);
  const guarded = async (begin: SystemApplyState, work: () => Promise<ApplyReview | undefined>): Promise<boolean> => {
    const mine = ++run.current;
    setState(begin);
    try {
      const left = await work();
      if (mine === run.current) setState(left ? { step: 'review', reviewed: left } : EDITING);
      return left === undefined;
    } catch (error) {
      if (mine === run.current) setState({ step: 'review', reviewed: { ...NOTHING, objects, failure: problemOf(error) } });
      return false;
    }
  };
  return {
    state,
    review: () => void guarded({ step: 'checking' }, () => check()),
    write: () => {
      if (state.step === 'review') void guarded({ step: 'writing', reviewed: state.reviewed }, () => store(state.reviewed.objects));
    },
    applyNow: () =>
      guarded({ step: 'checking' }, async () => {
        const checked = await check();
        if (!checked) return undefined;
        const clear = checked.problems.length + checked.overtaken.length === 0 && checked.failure === undefined;
        return clear ? store(checked.objects) : checked;
      }),
    merge: ({ object, theirs }, text) => {
      if (state.step !== 'review') return;
      onMerged(object, text, theirs);
      const merged = state.reviewed.objects.map((each) => (each === object ? { ...object, text, base: theirs } : each));
      void guarded({ step: 'rechecking', reviewed: state.reviewed }, () => check(merged));
    },
    back: useCallback(() => {
      run.current += 1;
      setState(EDITING);
    }, []),
  };
}
