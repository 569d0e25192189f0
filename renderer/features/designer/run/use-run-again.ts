// Runs the followed run once more, with its input and bounds. Drafts are applied first.
import type { Resource } from '@svc/shared/resource';
import { useRef, useState } from 'react';
import { compareAddress } from '../../../navigation/addresses.ts';
import { client } from '../../../live/api.ts';
import { creator, type Create } from '../../../live/creator.ts';
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { toastError } from '../../../ui/overlay/toast.ts';
import { newestRunOf } from '../../runs/model/newest-run.ts';
import { notStartedText } from '../../runs/model/not-started-text.ts';
import { asRun } from '../../runs/model/run.ts';
import { againOf, taskOf } from './run-input.ts';

export interface RunAgainOptions {
  readonly namespace: string;
  /** Empty for a system that is not stored. */
  readonly system: string;
  /** The followed run; empty for none. */
  readonly task: string;
  /** Absent when everything is stored. */
  readonly prepare: (() => Promise<boolean>) | undefined;
  /** `spec.trial` of the next run; undefined for an ordinary one. */
  readonly trial: object | undefined;
  readonly onStarted: (task: string) => void;
  /** Without an earlier run the form asks for an input. */
  readonly onAsk: () => void;
  /** Opens the comparison of both runs. */
  readonly onCompare: (address: string) => void;
}

export interface RunAgain {
  readonly busy: boolean;
  readonly reason: string | undefined;
  readonly run: () => void;
  /** Repeats the followed run, or else the newest of the system, and compares both. */
  readonly compare: () => void;
}

export const COMPARE_KEYS = 'shift+c';
const NEWEST_MAX = 20;

async function newest(namespace: string, system: string): Promise<Resource | undefined> {
  const wanted = { kind: 'Task', namespace, fieldSelector: `spec.system=${system},status.trial!=true`, order: '-createdAt' } as const;
  const { items } = await client.resources.list.query({ ...wanted, limit: NEWEST_MAX });
  return newestRunOf({ kind: 'AgentSystem', namespace, name: system }, items.map(asRun), () => Promise.resolve({ per_agent: [] }));
}

export function useRunAgain(options: RunAgainOptions): RunAgain {
  const { namespace, system, task, prepare, trial, onStarted, onAsk, onCompare } = options;
  const [busy, setBusy] = useState(false);
  const { reason } = useCanWrite();
  const create = useRef<Create>(undefined);
  const repeat = async (before: Resource, started: (made: Resource) => void) => {
    if (prepare) {
      if (!(await prepare())) return;
      // A run of changed definitions is another one.
      create.current = undefined;
    }
    create.current ??= creator();
    const body = taskOf({ ...againOf(before, new Date()), trial });
    const made = await create.current(body, [namespace, body.spec]).catch((error: unknown) => toastError(notStartedText(error), error));
    if (made) started(made);
  };
  const guarded = async (work: () => Promise<void>) => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      // Nothing was sent.
      toastError('The run could not be started', error);
    } finally {
      setBusy(false);
    }
  };
  const followed = () => client.resources.get.query({ kind: 'Task', namespace, name: task });
  const run = () => {
    if (busy || reason !== undefined) return;
    if (task === '') onAsk();
    else void guarded(async () => repeat(await followed(), ({ metadata }) => onStarted(metadata.name)));
  };
  const compareBoth = async () => {
    const before = task === '' ? await newest(namespace, system) : await followed();
    if (!before) return onAsk();
    await repeat(before, (made) =>
      onCompare(compareAddress(namespace, { kind: 'Task', ...before.metadata }, { kind: 'Task', ...made.metadata })),
    );
  };
  const compare = () => {
    if (!busy && reason === undefined) void guarded(compareBoth);
  };
  useShortcut({ id: 'designer.run', keys: 'r', label: 'Run, or run again', group: 'Designer', when: reason === undefined, run });
  const comparable = reason === undefined && system !== '';
  useShortcut({
    ...{ id: 'designer.compare', keys: COMPARE_KEYS, label: 'Run again and compare', group: 'Designer' },
    ...{ when: comparable, run: compare },
  });
  return { busy, reason, run, compare };
}
