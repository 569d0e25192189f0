// The way of a text to the server: dry run, review of its result, write, and merge after a concurrent change.
import type { Resource } from '@svc/shared/resource';
import { useCallback, useRef, useState } from 'react';
import { api, client } from '../live/api.ts';
import { isUnanswered, problemOf, type Problem } from '../live/problem.ts';
import { queryClient } from '../live/query-client.ts';
import { adjustments, planWrite, sameForEditing, type Adjustment, type WriteCall } from './apply-plan.ts';
import { storedAs } from './stored-as.ts';
import type { YamlDiagnostic } from './YamlEditor.tsx';
import type { DraftKey } from './drafts.ts';

type Write = Awaited<ReturnType<typeof client.resources.write.mutate>>;

export interface Preview {
  /** The reviewed text: later edits are not written with it. */
  readonly text: string;
  readonly call: WriteCall;
  readonly result: Resource;
  readonly action: Write['action'];
  readonly warnings: readonly string[];
  readonly crdManaged: boolean;
  readonly adjustments: readonly Adjustment[];
}

type ApplyStep =
  | { readonly step: 'editing' }
  | { readonly step: 'asking' }
  | { readonly step: 'preview'; readonly preview: Preview }
  | { readonly step: 'writing'; readonly preview: Preview }
  | { readonly step: 'conflict'; readonly theirs: Resource };

export interface ApplyOptions {
  readonly target: DraftKey;
  readonly text: string;
  /** The state of the object that the text is based on; undefined makes a new one. */
  readonly base: Resource | undefined;
  /** The same content with a new version, after a write to the status. */
  readonly onRebase: (base: Resource) => void;
  /** Called with the text that was written. */
  readonly onApplied: (resource: Resource, action: Write['action'], text: string) => void;
}

export interface Applying {
  readonly state: ApplyStep;
  /** Problems of the last attempt, at their places in the text. */
  readonly diagnostics: readonly YamlDiagnostic[];
  /** Failure that has no place in the text. */
  readonly failure: Problem | undefined;
  /** The failure is a write without an answer: it may have happened. */
  readonly unsure: boolean;
  readonly review: () => void;
  readonly write: () => void;
  readonly back: () => void;
  /** Opens the merge with a newer state of the object. */
  readonly meet: (theirs: Resource) => void;
}

const EDITING: ApplyStep = { step: 'editing' };
const NONE: readonly YamlDiagnostic[] = [];
/** Versions grow with every write to the status too; that many in a row is a very busy object. */
const RETRIES_MAX = 5;

async function sendWrite(
  options: ApplyOptions,
  dryRun: boolean,
): Promise<{ readonly call: WriteCall; readonly answer: Write } | { readonly theirs: Resource }> {
  let { base } = options;
  for (let tries = 0; ; tries += 1) {
    const plan = planWrite(options.text, options.target, base);
    if (!('call' in plan)) throw new Error('an invalid text was sent');
    const { call } = plan;
    try {
      return { call, answer: await client.resources.write.mutate({ ...call, dryRun }) };
    } catch (error) {
      if (problemOf(error).code !== 'conflict' || !base || tries >= RETRIES_MAX) throw error;
      const { kind, namespace, name } = { kind: call.kind, namespace: call.namespace, name: base.metadata.name };
      const theirs = await client.resources.get.query({ kind, namespace, name });
      // Deleted and created again: a new object, which the user must review.
      if (theirs.metadata.uid !== base.metadata.uid) return { theirs };
      if (theirs.metadata.resourceVersion === base.metadata.resourceVersion) throw error;
      if (!sameForEditing(theirs, base)) return { theirs };
      base = theirs;
      options.onRebase(theirs);
    }
  }
}

function placedProblems(problem: Problem): readonly YamlDiagnostic[] {
  return problem.code === 'invalid' ? problem.details.map(({ path, message }) => ({ path, message })) : NONE;
}

export function useApply(options: ApplyOptions): Applying {
  const [state, setState] = useState<ApplyStep>(EDITING);
  const [outcome, setOutcome] = useState<{
    readonly text: string;
    readonly diagnostics: readonly YamlDiagnostic[];
    readonly failure: Problem | undefined;
    readonly unsure: boolean;
  }>();
  const run = useRef(0);
  const { text, target, base } = options;
  const fail = (error: unknown, unsure: boolean) => {
    const problem = problemOf(error);
    setOutcome({ text, diagnostics: placedProblems(problem), failure: problem, unsure });
    setState(EDITING);
  };
  const applied = (resource: Resource, action: Write['action'], sent: string) => {
    const { namespace, name } = resource.metadata;
    queryClient.setQueryData(api.resources.get.queryKey({ kind: resource.kind, namespace, name }), resource);
    setOutcome(undefined);
    setState(EDITING);
    options.onApplied(resource, action, sent);
  };
  const start = async (meant: Preview | undefined, then: (call: WriteCall, answer: Write) => void) => {
    const mine = ++run.current;
    // A further attempt at a write without an answer may meet its own result.
    const before = outcome?.text === text && outcome.unsure;
    setOutcome(undefined);
    const sent = meant?.text ?? text;
    const written = () => storedAs(sent, target, meant?.result ?? base);
    try {
      const result = await sendWrite({ ...options, text: sent }, meant === undefined);
      const own = 'theirs' in result && before ? await written() : undefined;
      if (mine !== run.current) return;
      if (own) applied(own, 'configured', sent);
      else if ('theirs' in result) setState({ step: 'conflict', theirs: result.theirs });
      else then(result.call, result.answer);
    } catch (error) {
      // A refusal says nothing of an earlier write.
      const unsure = before || (isUnanswered(error) && meant !== undefined);
      const own = unsure ? await written() : undefined;
      if (mine !== run.current) return;
      if (own) applied(own, meant?.action ?? 'configured', sent);
      else fail(error, unsure && problemOf(error).code !== 'conflict');
    }
  };
  const review = () => {
    const plan = planWrite(text, target, base);
    if ('errors' in plan) setOutcome({ text, diagnostics: plan.errors, failure: undefined, unsure: false });
    if (!('call' in plan)) return;
    setState({ step: 'asking' });
    void start(undefined, (call, answer) => {
      const { resource, action, warnings, crdManaged } = answer;
      const preview = { text, call, result: resource, action, warnings, crdManaged, adjustments: adjustments(call, resource) };
      setState({ step: 'preview', preview });
    });
  };
  const write = () => {
    if (state.step !== 'preview') return;
    const { preview } = state;
    setState({ step: 'writing', preview });
    void start(preview, (_, { resource, action }) => applied(resource, action, preview.text));
  };
  const back = useCallback(() => {
    run.current += 1;
    setState(EDITING);
  }, []);
  const meet = useCallback((theirs: Resource) => setState({ step: 'conflict', theirs }), []);
  // The result for a text expires with its next change.
  const current = outcome?.text === text ? outcome : undefined;
  const { diagnostics = NONE, failure, unsure = false } = current ?? {};
  return { state, diagnostics, failure, unsure, review, write, back, meet };
}
