// Runs the followed run once more, with its input and bounds. Drafts are applied first.
import { useState } from 'react';
import { client } from '../../../live/api.ts';
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { toastError } from '../../../ui/toast.ts';
import { againOf, taskOf } from './run-input.ts';

export interface RunAgainOptions {
  readonly namespace: string;
  /** The followed run; empty for none. */
  readonly task: string;
  /** Absent when everything is stored. */
  readonly prepare: (() => Promise<boolean>) | undefined;
  /** `spec.trial` of the next run; undefined for an ordinary one. */
  readonly trial: object | undefined;
  readonly onStarted: (task: string) => void;
  /** Nothing ran yet: the form asks for an input. */
  readonly onAsk: () => void;
}

export interface RunAgain {
  readonly busy: boolean;
  readonly reason: string | undefined;
  readonly run: () => void;
}

export function useRunAgain({ namespace, task, prepare, trial, onStarted, onAsk }: RunAgainOptions): RunAgain {
  const [busy, setBusy] = useState(false);
  const { reason } = useCanWrite();
  const again = async () => {
    setBusy(true);
    try {
      const before = await client.resources.get.query({ kind: 'Task', namespace, name: task });
      if (prepare && !(await prepare())) return;
      const body = taskOf({ ...againOf(before, new Date()), trial });
      const { resource } = await client.resources.write.mutate({ kind: 'Task', namespace, mode: 'create', body });
      onStarted(resource.metadata.name);
    } catch (error) {
      toastError('The run could not be started', error);
    } finally {
      setBusy(false);
    }
  };
  const run = () => {
    if (busy || reason !== undefined) return;
    if (task === '') onAsk();
    else void again();
  };
  useShortcut({ id: 'designer.run', keys: 'r', label: 'Run, or run again', group: 'Designer', when: reason === undefined, run });
  return { busy, reason, run };
}
