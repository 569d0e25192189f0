// Model calls against a scripted server: the real port over the real guard.
import { expect, onTestFinished } from 'vitest';
import { ServiceError } from '@svc/shared/errors';
import { systemClock } from '../clock.ts';
import { createEgress } from '../egress/create-egress.ts';
import type { Egress } from '../egress/egress.ts';
import type { ModelEndpointSpec } from '@svc/shared/kinds/model-endpoint/rules';
import type { CallError, ModelPort, ModelRequest, ModelResponse } from '../engine/ports.ts';
import { createModelPort } from '../models/create-model-port.ts';
import type { ModelHttpDeps } from '../models/model-http.ts';
import { startLoopbackServer, type Answer, type LoopbackServer } from './loopback-server.ts';
import { MODEL_TOKEN } from './model-dialects.ts';

/** Secrets by name; `key` holds the token, with the newline a file would end in. */
export type SecretValues = Map<string, string>;

export function modelDeps(egress: Egress): { deps: ModelHttpDeps; values: SecretValues } {
  const values: SecretValues = new Map([['key', `${MODEL_TOKEN}\n`]]);
  const resolveValue = (ref: string) => {
    const value = values.get(ref);
    return value === undefined ? Promise.reject(new ServiceError('not_found', 'no such Secret')) : Promise.resolve(value);
  };
  return {
    deps: { egress, secrets: { resolveValue, resolveEntries: () => Promise.resolve({}) }, clock: systemClock, allowPrivate: true },
    values,
  };
}

export interface ModelSetup {
  readonly server: LoopbackServer;
  readonly port: ModelPort;
  readonly deps: ModelHttpDeps;
  readonly values: SecretValues;
}

/** Stopped when the test that requested it ends. */
export async function startModelServer(...answers: Answer[]): Promise<ModelSetup> {
  const server = await startLoopbackServer(...answers);
  const egress = createEgress();
  onTestFinished(async () => {
    await egress.close();
    await server.close();
  });
  const { deps, values } = modelDeps(egress);
  return { server, port: createModelPort(deps), deps, values };
}

export const modelRequest = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  requestId: 'req-1',
  agent: 'writer',
  step: 1,
  messages: [{ role: 'user', content: 'hello' }],
  tools: [],
  ...more,
});

interface Ask {
  readonly spec: ModelEndpointSpec;
  readonly request?: ModelRequest;
  readonly signal?: AbortSignal;
  /** Asks for a stream, and gathers it. */
  readonly deltas?: string[];
}

export function ask(port: ModelPort, { spec, request = modelRequest(), signal, deltas }: Ask): Promise<ModelResponse> {
  const endpoint = { namespace: 'team', name: 'gpt', spec };
  return port.complete(endpoint, request, {
    signal: signal ?? new AbortController().signal,
    ...(deltas && { onDelta: (delta: string) => void deltas.push(delta) }),
  });
}

/** Error of a call that must fail; it never holds the token. */
export async function failure(promise: Promise<unknown>): Promise<CallError> {
  const error = await promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (reason: unknown) => reason as CallError,
  );
  expect(`${error.name} ${error.message} ${error.reason ?? ''}`).not.toContain(MODEL_TOKEN);
  expect(error.name).toBe('CallError');
  return error;
}
