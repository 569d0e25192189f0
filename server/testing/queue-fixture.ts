// A ToolPort with a queue tool, for tests of one kind of queue each.
import { ServiceError } from '@svc/shared/errors';
import type { JsonObject } from '@svc/shared/json';
import type { CallError, ToolOutcome } from '../engine/ports.ts';
import { createToolPort } from '../tools/create-tool-port.ts';
import { toolDeps } from './tool-deps.ts';
import { toolSpec } from './specs.ts';

interface QueueCall {
  readonly spec?: Record<string, unknown>;
  readonly requestId?: string;
  /** Default: `{ q: 'tides' }`. */
  readonly input?: JsonObject;
  readonly signal?: AbortSignal;
}

export interface QueueFixture {
  invoke(endpoint: string, call?: QueueCall): Promise<ToolOutcome>;
  failure(endpoint: string, call?: QueueCall): Promise<CallError>;
  close(): Promise<void>;
}

/** `secrets` by name. */
export function queueFixture(secrets: Record<string, Record<string, string>>, allowPrivateEndpoints = true): QueueFixture {
  const missing = () => Promise.reject(new ServiceError('not_found', 'no such Secret'));
  const resolver = {
    resolveValue: (ref: string) => (secrets[ref] ? Promise.resolve(secrets[ref]['value'] ?? '') : missing()),
    resolveEntries: (ref: string) => (secrets[ref] ? Promise.resolve(secrets[ref]) : missing()),
  };
  const deps = toolDeps({ allowPrivateEndpoints });
  const port = createToolPort({ ...deps, secrets: resolver });
  const invoke = (endpoint: string, options: QueueCall = {}) => {
    const { spec, requestId = 'req-1', input = { q: 'tides' }, signal = new AbortController().signal } = options;
    const tool = { namespace: 'team', name: 'jobs', spec: toolSpec({ type: 'queue', endpoint, ...spec }) };
    const call = { tool, requestId, taskId: 'team/t', stream: 'uid-1', namespace: 'team', agent: 'a', input };
    return port.invoke(call, { signal });
  };
  return {
    invoke,
    failure: (endpoint, call) =>
      invoke(endpoint, call).then(
        () => Promise.reject(new Error('it did not fail')),
        (error: unknown) => error as CallError,
      ),
    async close() {
      await port.close();
      await deps.egress.close();
    },
  };
}
