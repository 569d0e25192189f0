// Requests the verdict of every pair of agents and tools, a batch at a time, until all are answered or it is stopped.
import type { AccessCheckAnswer } from '@svc/shared/api/access';
import { useCallback, useEffect, useRef, useState } from 'react';
import { client } from '../../live/api.ts';
import { problemOf } from '../../live/problem.ts';
import { BATCH, cellKey, inBatches, pairsOf, WHAT_IF_BATCH, type Cell } from './matrix.ts';
import type { Documents } from './what-if.ts';

export interface MatrixQuestion {
  readonly namespace: string;
  readonly system: string;
  readonly agents: readonly string[];
  readonly tools: readonly string[];
}

const NONE: ReadonlyMap<string, Cell> = new Map();

export interface ChangedMatrix {
  /** Answered pairs. */
  readonly cells: ReadonlyMap<string, Cell>;
  /** Error that ended the requests, when the server refused a batch or could not be reached. */
  readonly failed: string | undefined;
}

const NOTHING: ChangedMatrix = { cells: NONE, failed: undefined };

/** Verdict of each pair after a change; empty without one. Stops at the first batch that fails, and restarts with each round. */
export function useChangedMatrix(question: MatrixQuestion | undefined, documents: Documents | undefined, round: number): ChangedMatrix {
  const [matrix, setMatrix] = useState(NOTHING);
  useEffect(() => {
    setMatrix(NOTHING);
    if (!question || !documents) return;
    const aborter = new AbortController();
    const { namespace, system } = question;
    const run = async () => {
      for (const batch of inBatches(pairsOf(question.agents, question.tools), WHAT_IF_BATCH)) {
        const questions = batch.map((pair) => ({ ...pair, ...(system !== '' && { system }) }));
        const answers = await client.access.whatIf.mutate({ namespace, documents: [...documents], questions }, { signal: aborter.signal });
        if (aborter.signal.aborted) return;
        const found = batch.flatMap(({ agent, tool }, at) => {
          const answer = answers[at];
          return answer ? [[cellKey(agent, tool), cellOf(answer)] as const] : [];
        });
        setMatrix((before) => ({ ...before, cells: new Map([...before.cells, ...found]) }));
      }
    };
    run().catch((error: unknown) => {
      if (!aborter.signal.aborted) setMatrix((before) => ({ ...before, failed: problemOf(error).message }));
    });
    return () => aborter.abort();
  }, [question, documents, round]);
  return matrix;
}

const cellOf = ({ verdict, code, message }: AccessCheckAnswer): Cell => ({ verdict, code, message });

async function ask(question: MatrixQuestion, pair: { agent: string; tool: string }, signal: AbortSignal): Promise<Cell> {
  const { namespace, system } = question;
  try {
    const answer = await client.access.check.query({ namespace, ...pair, ...(system !== '' && { system }) }, { signal });
    return cellOf(answer);
  } catch (error) {
    return { failed: problemOf(error).message };
  }
}

export function useMatrix(question: MatrixQuestion | undefined) {
  const [cells, setCells] = useState(NONE);
  const [round, setRound] = useState(0);
  const [busy, setBusy] = useState(false);
  const running = useRef<AbortController>(undefined);
  useEffect(() => {
    if (!question) return;
    const aborter = new AbortController();
    running.current = aborter;
    setCells(NONE);
    setBusy(true);
    const run = async () => {
      for (const batch of inBatches(pairsOf(question.agents, question.tools), BATCH)) {
        const answers = await Promise.all(batch.map((pair) => ask(question, pair, aborter.signal)));
        if (aborter.signal.aborted) return;
        setCells(
          (before) => new Map([...before, ...batch.map(({ agent, tool }, at) => [cellKey(agent, tool), answers[at] as Cell] as const)]),
        );
      }
      setBusy(false);
    };
    void run();
    return () => aborter.abort();
  }, [question, round]);
  const stop = useCallback(() => {
    running.current?.abort();
    setBusy(false);
  }, []);
  const again = useCallback(() => setRound((before) => before + 1), []);
  return { cells, busy, stop, again, round };
}
