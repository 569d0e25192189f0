// Continues or ends a run at one of its breakpoints.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../../live/api.ts';
import type { Run } from '../../runs/model/run.ts';
import type { Stop } from './stops.ts';

export interface ContinueRequest {
  readonly stop: Stop;
  /** In place of the text that waits; absent where it stays as it is. */
  readonly text?: string;
  /** Ends the run, with this reason. */
  readonly end?: string;
}

export interface Continuing {
  /** Sent, or accepted while the run has not moved yet. */
  readonly busy: (stop: Stop) => boolean;
  readonly errorOf: (stop: Stop) => unknown;
  readonly send: (request: ContinueRequest) => void;
}

function bodyOf({ stop, text, end }: ContinueRequest) {
  const value = text === undefined ? {} : stop.place === 'before' ? { input: text } : { output: text };
  const reason = end === undefined || end.trim() === '' ? {} : { reason: end.trim() };
  return { at: stop.turnId, ...value, ...(end !== undefined && { end: true, ...reason }) };
}

/** `onAccepted` is called once the server has accepted the request. */
export function useContinue(run: Run, onAccepted: (request: ContinueRequest) => void): Continuing {
  const { namespace, name, uid } = run.metadata;
  const [accepted, setAccepted] = useState<ReadonlySet<string>>(new Set());
  const { mutate, isPending, variables, error } = useMutation({
    mutationFn: (request: ContinueRequest) => client.runs.continue.mutate({ namespace, name, uid, ...bodyOf(request) }),
    onSuccess: (_, request) => {
      setAccepted((before) => new Set([...before, request.stop.id]));
      onAccepted(request);
    },
  });
  const of = ({ id }: Stop) => variables?.stop.id === id;
  return {
    busy: (stop) => accepted.has(stop.id) || (isPending && of(stop)),
    errorOf: (stop) => (of(stop) ? (error ?? undefined) : undefined),
    send: mutate,
  };
}
