// One call of a model outside of any run: the connection test and the trial of a prompt, for endpoints that need not be stored yet.
import type { ModelTrialAnswer } from '@svc/shared/api/model-trials';
import { invalidFields, ServiceError } from '@svc/shared/errors';
import { checkSpec } from '@svc/shared/kinds/check';
import { specOf } from '@svc/shared/kinds/read';
import { parseRef } from '@svc/shared/resource';
import { textStart } from '@svc/shared/text-start';
import type { Clock } from '../clock.ts';
import { withDeadline } from '../egress/deadline.ts';
import { CallError, type ChatMessage, type ModelEndpointRef, type ModelPort } from '../engine/ports.ts';
import { requireRole } from '../registry/authorise.ts';
import { requireKind } from '../registry/mapping.ts';
import type { NamedReference, Registry, RequestContext } from '../registry/registry.ts';
import { outwardReferences } from '../registry/write.ts';
import type { SecretResolver } from '../secrets/ports.ts';

export interface ModelTrial {
  readonly namespace: string;
  readonly name: string;
  /** The endpoint as it would be stored; absent: the stored one of that name. */
  readonly spec?: Readonly<Record<string, unknown>> | undefined;
  /** Replaces the endpoint's Secret, which is not stored yet. Used for this call only, never stored. */
  readonly apiKey?: string | undefined;
  /** Sent as the system message. */
  readonly prompt?: string | undefined;
  /** Sent as the user message. */
  readonly message: string;
  /** Name of the agent that the prompt is of; the mock provider scripts by it. */
  readonly agent?: string | undefined;
}

export interface ModelTrials {
  /**
   * Asks the model once and waits for its whole answer, at most `TRIAL_TIMEOUT_MS`. A model that does not answer is an answer with `ok: false`. Needs the
   * role writer. Rejects with `invalid` for an endpoint that could not be stored, `not_found` for one that is not, and `rate_limited` while as many
   * trials run as may.
   */
  ask(context: RequestContext, trial: ModelTrial, signal: AbortSignal): Promise<ModelTrialAnswer>;
}

export interface ModelTrialDeps {
  readonly registry: Pick<Registry, 'get'>;
  /** Rejects with `forbidden` when the caller may not refer to these objects of other namespaces. */
  readonly requireReferences: (context: RequestContext, references: readonly NamedReference[]) => Promise<void>;
  /** Makes the port by which a trial calls its model, with the credentials that it may use. */
  readonly models: (secrets: SecretResolver) => ModelPort;
  readonly secrets: SecretResolver;
  readonly clock: Clock;
  readonly newId: () => string;
}

const KIND = 'ModelEndpoint';
export const TRIAL_TIMEOUT_MS = 60_000;
/** Trials of this process that may wait for their models at the same time. */
export const TRIALS_MAX = 8;
const ANSWER_MAX_CHARS = 64 * 1024;

export function createModelTrials(deps: ModelTrialDeps): ModelTrials {
  let open = 0;
  return {
    async ask(context, trial, signal) {
      requireRole(context, 'writer', 'trying a model');
      const endpoint = await endpointOf(deps, context, trial);
      if (open >= TRIALS_MAX) throw new ServiceError('rate_limited', `${TRIALS_MAX} models are being tried; try again in a moment`);
      open += 1;
      try {
        return await asked(deps, { endpoint, trial, signal });
      } finally {
        open -= 1;
      }
    },
  };
}

async function endpointOf(
  { registry, requireReferences }: ModelTrialDeps,
  context: RequestContext,
  trial: ModelTrial,
): Promise<ModelEndpointRef> {
  const { namespace, name, spec } = trial;
  if (spec === undefined) {
    const stored = await registry.get(context, { kind: KIND, namespace, name });
    return { namespace, name, spec: specOf(KIND, stored) };
  }
  const checked = checkSpec(requireKind(KIND), spec, { context: { namespace, name }, unknownFields: 'reject' });
  if (checked.errors.length > 0) throw invalidFields(`ModelEndpoint ${namespace}/${name}`, checked.errors);
  const endpoint = { namespace, name, spec: specOf(KIND, { metadata: { namespace, name }, spec: checked.spec }) };
  await requireReferences(context, outwardReferences(requireKind(KIND), { kind: KIND, namespace, name }, endpoint.spec));
  return endpoint;
}

interface TrialCall {
  readonly endpoint: ModelEndpointRef;
  readonly trial: ModelTrial;
  readonly signal: AbortSignal;
}

async function asked(deps: ModelTrialDeps, { endpoint, trial, signal }: TrialCall): Promise<ModelTrialAnswer> {
  const { clock } = deps;
  const port = deps.models(secretsOf(deps.secrets, endpoint, trial.apiKey));
  const request = { requestId: deps.newId(), agent: trial.agent ?? 'trial', step: 1, messages: messagesOf(trial), tools: [] };
  const what = `the trial of ModelEndpoint "${endpoint.namespace}/${endpoint.name}"`;
  const began = clock.now();
  try {
    const { content, usage, costUsd, finishReason, model } = await withDeadline(
      { clock, timeoutMs: TRIAL_TIMEOUT_MS, signal, what },
      (limited) => port.complete(endpoint, request, { signal: limited }),
    );
    return {
      ok: true,
      content: textStart(content, ANSWER_MAX_CHARS),
      truncated: content.length > ANSWER_MAX_CHARS,
      model,
      finishReason,
      latencyMs: clock.now() - began,
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      ...(costUsd !== undefined && { costUsd }),
    };
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const { code, message, reason, retryable } = error;
    return { ok: false, code, message, retryable, latencyMs: clock.now() - began, ...(reason !== undefined && { reason }) };
  }
}

function messagesOf({ prompt = '', message }: ModelTrial): ChatMessage[] {
  return [...(prompt === '' ? [] : [{ role: 'system', content: prompt } as const]), { role: 'user', content: message }];
}

/** The given key in place of the endpoint's Secret; every other Secret as it is. */
function secretsOf(secrets: SecretResolver, endpoint: ModelEndpointRef, apiKey: string | undefined): SecretResolver {
  const ref = endpoint.spec.auth?.secretRef;
  if (apiKey === undefined || ref === undefined) return secrets;
  const own = nameOf(ref, endpoint.namespace);
  return {
    resolveValue: async (wanted, home) => (nameOf(wanted, home) === own ? apiKey : secrets.resolveValue(wanted, home)),
    resolveEntries: async (wanted, home) => (nameOf(wanted, home) === own ? { value: apiKey } : secrets.resolveEntries(wanted, home)),
  };
}

function nameOf(ref: string, home: string): string {
  const { namespace, name } = parseRef(ref, home);
  return `${namespace}/${name}`;
}
