// One decision in flight: chosen, confirmed as its risk requires, sent once, answered. Never shown as taken before the server has confirmed
// it.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ANSWERED, type CallOutcome } from '@svc/shared/kinds/tool-approval/outcomes';
import type { Resource } from '@svc/shared/resource';
import { statusOf } from '../../../kinds/read.ts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { api, client } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import { serverNow } from '../../../live/server-clock.ts';
import { announce } from '../../../ui/feedback/announcer.ts';
import { toastInfo } from '../../../ui/overlay/toast.ts';
import { readApproval, subjectOf, type Approval } from '../model/approval.ts';
import { refusalOf, type Refusal } from '../model/refusal.ts';
import { careFor, type Risk } from '../model/risk.ts';
import { forgetBegun } from './use-approval-draft.ts';

export type DecisionWord = 'approved' | 'denied' | 'request_changes';

/** Data sent along with an approval: edited input, the outcome of a lost call, or an answer in place of a call. */
export interface Extra {
  readonly input?: Readonly<Record<string, unknown>>;
  readonly outcome?: CallOutcome;
  readonly output?: string;
}

export type Stage =
  | { readonly name: 'idle' }
  /** Sent at `until` (ms of this machine's clock) unless it is withdrawn. */
  | { readonly name: 'hold'; readonly decision: DecisionWord; readonly until: number }
  /** `arm`: a second press. `typed`: the name, typed. */
  | { readonly name: 'arm' | 'typed'; readonly decision: DecisionWord }
  | { readonly name: 'sending'; readonly decision: DecisionWord };

export const HOLD_MS = 5_000;
const IDLE: Stage = { name: 'idle' };

/** Sends one decision; rejects with the error of the server or the network. */
export function sendDecision(approval: Approval, decision: DecisionWord, { comment, ...extra }: Extra & { readonly comment: string }) {
  const { kind, namespace, name, uid } = approval;
  const said = comment.trim();
  const along: Extra = decision === 'approved' ? extra : {};
  const comments = said === '' ? {} : { comment: said };
  return client.approvals.decide.mutate({ kind, namespace, name, uid, decision, ...along, ...comments });
}

export interface DecisionOptions {
  readonly approval: Approval;
  /** Risk of the tool; undefined for reviews. */
  readonly risk: Risk | undefined;
  readonly extra: Extra;
  readonly comment: string;
  /** Reason why nothing can be decided now; a pending second step is then cancelled. */
  readonly blocked: string | undefined;
  readonly onDecided: (decided: Approval) => void;
}

export interface DecisionControl {
  readonly stage: Stage;
  readonly refusal: Refusal | undefined;
  /** First press of a button: chooses the decision. */
  readonly choose: (decision: DecisionWord) => void;
  /** Second press: confirms the chosen decision. */
  readonly confirm: () => void;
  readonly takeBack: () => void;
  readonly dismiss: () => void;
}

/** Belongs to one approval: give its component a key of the approval's uid. Leaving before it was sent sends nothing. */
export function useDecision({ approval, risk, extra, comment, blocked, onDecided }: DecisionOptions): DecisionControl {
  const [stage, setStage] = useState<Stage>(IDLE);
  const [refusal, setRefusal] = useState<Refusal>();
  const queryClient = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: (decision: DecisionWord) => sendDecision(approval, decision, { ...extra, comment }),
    onSuccess: (resource) => {
      queryClient.setQueryData(objectKey(approval), resource);
      setStage(IDLE);
      forgetBegun(approval.uid);
      onDecided(readApproval(resource));
    },
    onError: async (error) => {
      const current = await currentOf(approval);
      if (current) queryClient.setQueryData(objectKey(approval), current.resource);
      const refused = refusalOf({ problem: problemOf(error), seen: approval, current, now: serverNow() });
      setRefusal(refused);
      setStage(IDLE);
      announce(refused.title);
    },
  });
  const send = useCallback(
    (decision: DecisionWord) => {
      setRefusal(undefined);
      setStage({ name: 'sending', decision });
      mutate(decision);
    },
    [mutate],
  );
  useHold(stage, send);
  const isOpen = useCallback(
    (of: Approval) => {
      const current = queryClient.getQueryData<Resource>(objectKey(of));
      return !current || statusOf(of.kind, current).phase === 'Pending';
    },
    [queryClient],
  );
  useLeftWord(stage, approval, isOpen);
  const takeBack = () => {
    if (stage.name === 'idle' || stage.name === 'sending') return;
    setStage(IDLE);
    announce(`Undone. Nothing was sent for ${subjectOf(approval)}`);
  };
  // A choice is valid only for the input on screen when it was made.
  useChanged(extra, takeBack);
  // Cancels the undo window without the server, after the expiry, or without the right to decide: nothing may be sent unseen.
  useEffect(() => {
    if (blocked !== undefined && stage.name !== 'idle' && stage.name !== 'sending') takeBack();
  });
  // The end of the undo window does not cut off a comment.
  useChanged(comment, () => stage.name === 'hold' && setStage({ ...stage, until: Date.now() + HOLD_MS }));
  const choose = (decision: DecisionWord) => {
    if (stage.name === 'sending' || blocked !== undefined) return;
    if (decision === 'request_changes') return send(decision);
    const edited = extra.input !== undefined || extra.outcome !== undefined;
    // Nothing runs after an answer in place of the call.
    const answers = decision === 'approved' && extra.outcome === ANSWERED;
    const care = careFor(decision, answers ? 'low' : edited && risk === 'low' ? 'medium' : risk);
    setRefusal(undefined);
    if (care === 'hold') setStage({ name: 'hold', decision, until: Date.now() + HOLD_MS });
    else setStage({ name: care, decision });
  };
  return {
    stage,
    refusal,
    choose,
    confirm: () => stage.name !== 'idle' && stage.name !== 'sending' && send(stage.decision),
    takeBack,
    dismiss: () => setRefusal(undefined),
  };
}

/** Calls `run` after a render with a changed value. */
function useChanged(value: unknown, run: () => void): void {
  const last = useRef(value);
  useEffect(() => {
    if (last.current === value) return;
    last.current = value;
    run();
  });
}

function useHold(stage: Stage, send: (decision: DecisionWord) => void): void {
  useEffect(() => {
    if (stage.name !== 'hold') return;
    const timer = setTimeout(() => send(stage.decision), Math.max(0, stage.until - Date.now()));
    return () => clearTimeout(timer);
  }, [stage, send]);
}

/**
 * Announces that nothing was sent when the person leaves during the undo window. An approval that is closed by then needs no announcement.
 */
function useLeftWord(stage: Stage, approval: Approval, isOpen: (of: Approval) => boolean): void {
  const last = useRef({ stage, approval });
  useEffect(() => {
    last.current = { stage, approval };
  });
  useEffect(
    () => () => {
      const { stage: left, approval: of } = last.current;
      if (left.name !== 'hold') return;
      const said = `Nothing was sent for ${subjectOf(of)} of ${of.task.name}`;
      toastInfo(isOpen(of) ? `${said}: its ${HOLD_MS / 1000}-second undo window was still open. Enter sends at once.` : `${said}.`);
    },
    [isOpen],
  );
}

const objectKey = ({ kind, namespace, name }: Approval) => api.resources.get.queryKey({ kind, namespace, name });

async function currentOf({ kind, namespace, name }: Approval): Promise<Approval | undefined> {
  try {
    const resource: Resource = await client.resources.get.query({ kind, namespace, name });
    return readApproval(resource);
  } catch {
    return undefined; // Deleted, or unreachable: the refusal distinguishes them by the code of the decision's own answer.
  }
}
