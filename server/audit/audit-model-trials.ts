// Audit lines of model trials: each uses a credential and may send it to an address that is not stored. Wraps the service.
import { ServiceError } from '@svc/shared/errors';
import { timestamp, type Clock } from '../clock.ts';
import type { ModelTrial, ModelTrials } from '../model-trials/model-trials.ts';
import type { AuditSink } from './audit-event.ts';

const TEXT_MAX = 253;

/** Wraps the trials with audit lines. The HTTP surface reports refusals for a missing role, as it does for every request. */
export function auditModelTrials(trials: ModelTrials, sink: AuditSink, clock: Clock): ModelTrials {
  return {
    async ask(context, trial, signal) {
      const { name, method, role } = context.identity;
      const write = (outcome: string, code?: string) =>
        sink.write({
          timestamp: timestamp(clock.now()),
          component: 'models',
          action: 'model.try',
          outcome,
          principal: { name, method, role },
          resource: { kind: 'ModelEndpoint', namespace: trial.namespace, name: trial.name },
          request_id: context.requestId,
          details: { ...detailsOf(trial), ...(code !== undefined && { code }) },
        });
      try {
        const answer = await trials.ask(context, trial, signal);
        if (answer.ok) write('success');
        else write('failed', answer.code);
        return answer;
      } catch (error) {
        const code = error instanceof ServiceError ? error.code : 'internal';
        if (code !== 'forbidden') write('failed', code);
        throw error;
      }
    },
  };
}

/** Where a draft would send which credential; a stored endpoint has its own lines. */
function detailsOf({ spec, apiKey }: ModelTrial): Readonly<Record<string, string | boolean>> {
  if (spec === undefined) return { stored: true };
  const { base_url: url, auth } = spec;
  const secret = typeof auth === 'object' && auth !== null ? (auth as { readonly secretRef?: unknown }).secretRef : undefined;
  const host = typeof url === 'string' && URL.canParse(url) ? new URL(url).host.slice(0, TEXT_MAX) : undefined;
  return {
    stored: false,
    key_given: apiKey !== undefined,
    ...(host !== undefined && { host }),
    ...(typeof secret === 'string' && { secret: secret.slice(0, TEXT_MAX) }),
  };
}
