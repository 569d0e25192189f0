// Audit lines of model trials: each uses a credential and may send it to an address that is not stored. Wraps the service.
import type { Clock } from '../clock.ts';
import type { ModelTrial, ModelTrials } from '../model-trials/model-trials.ts';
import { createAuditChange, DETAIL_MAX_CHARS } from './audit-change.ts';
import type { AuditSink } from './audit-event.ts';

export function auditModelTrials(trials: ModelTrials, sink: AuditSink, clock: Clock): ModelTrials {
  const audited = createAuditChange(sink, clock);
  return {
    ask: (context, trial, signal) =>
      audited(
        context,
        {
          component: 'models',
          action: 'model.try',
          resource: { kind: 'ModelEndpoint', namespace: trial.namespace, name: trial.name },
          details: detailsOf(trial),
          failureOf: (answer) => (answer.ok ? undefined : answer.code),
        },
        trials.ask(context, trial, signal),
      ),
  };
}

/** Where a draft would send which credential; a stored endpoint has its own lines. */
function detailsOf({ spec, apiKey }: ModelTrial): Readonly<Record<string, string | boolean>> {
  if (spec === undefined) return { stored: true };
  const { base_url: url, auth } = spec;
  const secret = typeof auth === 'object' && auth !== null ? (auth as { readonly secretRef?: unknown }).secretRef : undefined;
  const host = typeof url === 'string' && URL.canParse(url) ? new URL(url).host.slice(0, DETAIL_MAX_CHARS) : undefined;
  return {
    stored: false,
    key_given: apiKey !== undefined,
    ...(host !== undefined && { host }),
    ...(typeof secret === 'string' && { secret: secret.slice(0, DETAIL_MAX_CHARS) }),
  };
}
