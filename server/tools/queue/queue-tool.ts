// Tool type `queue`: a request of tool protocol v1 goes into a queue of PostgreSQL or to a subject of NATS, and the reply comes back by its request id.
import type { RuntimeDeps, ToolAnswer, ToolRun, ToolRuntime } from '../runtime.ts';
import { OUTPUT_MAX_BYTES, toolTitle } from '../runtime.ts';
import { readReply } from '../protocol/reply.ts';
import { protocolHeaders, protocolRequest, TOOL_CONTRACT_VERSION } from '../protocol/request.ts';
import { invalidTool } from '../tool-settings.ts';
import { trustedCa } from '../trusted-ca.ts';
import { loginOf, queueEndpoint } from './endpoint.ts';
import { createNatsQueues, type NatsQueues } from './nats-queue.ts';
import { createPostgresQueues, type PostgresQueues } from './postgres-queue.ts';

/** A reply wraps the output, so it may be larger than that. */
const REPLY_MAX_BYTES = 2 * OUTPUT_MAX_BYTES;

export type QueueToolDeps = Pick<RuntimeDeps, 'clock' | 'config' | 'permittedBy' | 'secrets'>;

interface Queues {
  readonly postgres: PostgresQueues;
  readonly nats: NatsQueues;
}

export function createQueueToolRuntime(deps: QueueToolDeps): ToolRuntime {
  const rules = { allowPrivate: deps.config.allowPrivateEndpoints, permittedBy: deps.permittedBy };
  const queues = { postgres: createPostgresQueues(rules), nats: createNatsQueues(rules) };
  return {
    type: 'queue',
    async run(call): Promise<ToolAnswer> {
      const reply = await exchange(deps, queues, call);
      return { output: readReply(reply, toolTitle(call.tool)), contractVersion: TOOL_CONTRACT_VERSION };
    },
    async close() {
      await Promise.all([queues.postgres.close(), queues.nats.close()]);
    },
  };
}

async function exchange(deps: QueueToolDeps, { postgres, nats }: Queues, call: ToolRun): Promise<string> {
  const endpoint = queueEndpoint(call.tool);
  const login = loginOf(call.tool, call.credentials);
  const common = {
    ca: await trustedCa(call.tool, deps.secrets),
    request: JSON.stringify(protocolRequest(call, call.attempt)),
    replyMaxBytes: REPLY_MAX_BYTES,
    signal: call.signal,
    title: toolTitle(call.tool),
  };
  if (endpoint.kind === 'nats') {
    return nats.exchange({ ...common, endpoint, login, headers: { ...protocolHeaders(call), 'Nats-Msg-Id': call.requestId } });
  }
  if (!login || !('user' in login))
    throw invalidTool(call.tool, 'spec.auth.profile must be basic (username:password) for a PostgreSQL queue');
  return postgres.exchange({
    ...common,
    endpoint,
    login,
    requestId: call.requestId,
    waitMs: Math.max(0, call.deadline - deps.clock.now()),
  });
}
