// Estimate of an experiment that is being written, requested again a moment after the last change.
import type { ExperimentEstimate } from '@svc/shared/api/experiments';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client } from '../../../live/api.ts';
import { formatCost, formatNumber } from '../../../ui/status/format.ts';

const AFTER_MS = 400;

export interface EstimateRead {
  /** Undefined until the present spec is estimated. */
  readonly estimate: ExperimentEstimate | undefined;
  readonly error: Error | null;
}

/** Sends no request while `ready` is false. */
export function useEstimate(namespace: string, spec: Readonly<Record<string, unknown>>, ready: boolean): EstimateRead {
  const text = JSON.stringify(spec);
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { data, error } = useQuery({
    queryKey: ['experiment-estimate', namespace, settled],
    queryFn: () => client.experiments.estimate.mutate({ namespace, spec: JSON.parse(settled) as Record<string, unknown> }),
    enabled: ready && settled === text,
    retry: false,
  });
  return settled === text && ready ? { estimate: data, error } : { estimate: undefined, error: null };
}

/** `12 runs, about 180 tokens and $0.12, estimated from 2 earlier runs of the system`. */
export function estimateText({ runs, tokens, cost_usd: cost, based_on: basis }: ExperimentEstimate): string {
  const count = `${formatNumber(runs)} ${runs === 1 ? 'run' : 'runs'}`;
  if (tokens === null) return `${count}; tokens and cost are not known, because the system has no earlier runs`;
  const price = cost === null ? 'at a cost that is not known' : `and ${formatCost(cost)}`;
  return `${count}, about ${formatNumber(tokens)} tokens ${price}, estimated from ${formatNumber(basis)} earlier ${basis === 1 ? 'run' : 'runs'} of the system`;
}
