// Routes of Tasks besides the generic endpoints: control, records and the live trace. The run service does all of it; this file only translates.
import type { LiveText } from '@svc/shared/api/runs';
import type { JsonObject } from '@svc/shared/json';
import type { ContinueBody, MessageFilter, ObjectRef, RunService } from '../../engine/runs/run-service.ts';
import type { CallerGate } from '../gate/caller.ts';
import { json, SMALL_BODY_MAX_BYTES, type Call, type JsonSchema, type Parameter, type Route } from '../route.ts';
import { EVENT_STREAM_TYPE } from '../sse/event-stream.ts';
import { frame, FrameCache } from '../sse/frame.ts';
import type { Feed, StreamHub } from '../sse/stream-hub.ts';
import { afterParameter, lastEventIdHeader, limitParameter, LIST_LIMIT, namespaceParameter, textFilter, objectOf } from './parameters.ts';
import { plainText } from '../text-types.ts';
import { readFields } from './request-fields.ts';
import { ref } from './schemas.ts';
import { streamCaller } from './watches.ts';

export interface TaskServices {
  readonly runs: RunService;
  readonly gate: CallerGate;
  readonly hub: StreamHub;
}

const TAG = 'Task';

interface RetryBody {
  readonly input: Readonly<Record<string, string>>;
  readonly to_namespace: string;
  readonly system_generation: number;
}

function controlRoutes(runs: RunService): Route[] {
  const shared = { method: 'POST', access: 'writer', tag: TAG, query: [namespaceParameter] } as const;
  const body = (description: string, schema: JsonSchema) => ({ description, schema, optional: true });
  return [
    {
      ...shared,
      path: '/v1/tasks/{name}/cancel',
      operationId: 'cancelTask',
      summary: 'Cancel a Task',
      description:
        'Ends an unfinished Task as Failed with reason `cancelled`, and aborts its calls. 409 when it has ended or is a template.',
      body: { ...body('Why.', ref('CancelRequest')), maxBytes: SMALL_BODY_MAX_BYTES },
      responses: { 200: { description: 'The Task.', schema: ref('Task') } },
      handle: async (call) => {
        const { reason } = await readFields<{ readonly reason: string }>(call);
        return json(await runs.cancel(call.context, objectOf(call), reason));
      },
    },
    {
      ...shared,
      path: '/v1/tasks/{name}/continue',
      operationId: 'continueTask',
      summary: 'Continue or end a trial at a breakpoint',
      description: 'The run continues with the pending text, or with a replacement. 409 when it does not wait there, or at several places.',
      body: body('The breakpoint, and the text to continue with.', ref('ContinueRequest')),
      responses: { 200: { description: 'The Task.', schema: ref('Task') } },
      handle: async (call) => json(await runs.continue(call.context, objectOf(call), await readFields<ContinueBody>(call))),
    },
    {
      ...shared,
      path: '/v1/tasks/{name}/retry',
      operationId: 'retryTask',
      summary: 'Run a Task again as a new one',
      description:
        'Creates `<name>-retry-<n>` from a Task that has ended, optionally with other input, in another namespace or with another version of the system. Its annotation `svc.dev/retry-of` names the Task.',
      body: body('Differences from the Task.', ref('RetryRequest')),
      responses: { 201: { description: 'The new Task.', schema: ref('Task') } },
      handle: async (call) => {
        const { input, to_namespace, system_generation } = await readFields<RetryBody>(call);
        const options = { input, toNamespace: to_namespace, systemGeneration: system_generation };
        return json(await runs.retry(call.context, objectOf(call), options), { status: 201 });
      },
    },
  ];
}

interface RecordRoute {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly schema: string;
  readonly query: readonly Parameter[];
  readonly read: (call: Call, object: ObjectRef) => Promise<JsonObject>;
}

function recordRoute({ schema, read, query, ...rest }: RecordRoute): Route {
  return {
    ...rest,
    method: 'GET',
    access: 'reader',
    tag: rest.path.startsWith('/v1/tasks') ? TAG : 'Agent',
    query: [namespaceParameter, ...query],
    responses: { 200: { description: 'The records.', schema: ref(schema) } },
    handle: async (call) => json(await read(call, objectOf(call))),
  };
}

const MESSAGE_FILTERS = ['phase', 'from_agent', 'to_agent', 'branch_id', 'trace_id', 'after'] as const;

function messageFilterOf({ query }: Call): MessageFilter {
  const texts = MESSAGE_FILTERS.map((name) => [name, query.text(name)] as const).filter(([, value]) => value !== undefined);
  const limit = query.integer('limit', LIST_LIMIT);
  return { ...(Object.fromEntries(texts) as MessageFilter), ...(limit !== undefined && { limit }) };
}

function recordRoutes(runs: RunService): Route[] {
  const messageQuery = [
    ...MESSAGE_FILTERS.filter((name) => name !== 'after').map((name) =>
      textFilter(name, plainText(600), `Only messages with this ${name}.`),
    ),
    limitParameter,
    afterParameter,
  ];
  const describe = {
    description: 'Everything is there: an answer too large for one response has a `continue` to page on with.',
    query: [afterParameter],
  };
  const logs = { ...describe, schema: 'Logs' };
  return [
    {
      ...logs,
      path: '/v1/tasks/{name}/logs',
      operationId: 'getTaskLogs',
      summary: 'Log lines of a Task',
      read: (call: Call, task: ObjectRef) => runs.logs(call.context, task, call.query.text('after')),
    },
    {
      ...logs,
      path: '/v1/agents/{name}/logs',
      operationId: 'getAgentLogs',
      summary: 'Log lines of an Agent over its Tasks',
      read: (call: Call, agent: ObjectRef) => runs.agentLogs(call.context, agent, call.query.text('after')),
    },
    {
      ...describe,
      path: '/v1/tasks/{name}/messages',
      operationId: 'getTaskMessages',
      summary: 'Messages between the agents of a Task',
      schema: 'TaskMessages',
      query: messageQuery,
      read: (call: Call, task: ObjectRef) => runs.messages(call.context, task, messageFilterOf(call)),
    },
    {
      path: '/v1/tasks/{name}/metrics',
      operationId: 'getTaskMetrics',
      summary: 'Metrics of a Task, per agent and per edge',
      schema: 'TaskMetrics',
      query: [],
      read: (call: Call, task: ObjectRef) => runs.metrics(call.context, task),
    },
    {
      ...describe,
      path: '/v1/tasks/{name}/trace',
      operationId: 'getTaskTrace',
      summary: 'A page of the trace of a Task',
      schema: 'TracePage',
      read: (call: Call, task: ObjectRef) => runs.trace(call.context, task, { after: call.query.text('after') }),
    },
    {
      path: '/v1/tasks/{name}/explain',
      operationId: 'explainTask',
      summary: 'Why a Task is not moving',
      schema: 'Explanation',
      query: [],
      read: (call: Call, task: ObjectRef) => runs.explain(call.context, task),
    },
  ].map(recordRoute);
}

type TraceBatches = AsyncIterable<readonly { cursor: string; entry: JsonObject }[]>;

/** Readers of one run share its entries. */
const traceFrames = new FrameCache<JsonObject>('trace');

/** The trace, and live text beside it, which never holds it up. `ended` ends the text. */
function feedTrace(batches: TraceBatches, texts: AsyncIterable<readonly LiveText[]>, ended: AbortController): Feed {
  return async (stream) => {
    const feedText = async () => {
      for await (const batch of texts) if (!(await stream.sendInTime(batch.map((item) => frame('delta', item))))) return;
    };
    const fed = feedText();
    try {
      for await (const batch of batches) {
        if (!(await stream.send(batch.map(({ cursor, entry }) => traceFrames.frame(entry, cursor))))) return;
      }
      stream.close('task_finished');
    } finally {
      ended.abort();
      await fed;
    }
  };
}

function traceStreamRoute({ runs, gate, hub }: TaskServices): Route {
  return {
    method: 'GET',
    path: '/v1/tasks/{name}/trace/stream',
    access: 'reader',
    tag: TAG,
    operationId: 'followTaskTrace',
    summary: 'Follow the trace of a Task',
    description:
      'Server-sent events named `trace`, from the start or after the cursor, as the run writes them. Events named `delta` carry the text of running model calls as it comes (`DeltaEvent`); they have no id, are not part of the record and are not sent again: ignore them, or show them until the entry of their step comes. Ends with `event: close` `{"reason":"task_finished"}`.',
    query: [namespaceParameter, afterParameter],
    headers: [lastEventIdHeader],
    responses: {
      200: {
        description: 'The stream, with the schema of its items.',
        schema: { anyOf: [ref('TraceEntry'), ref('DeltaEvent')] },
        contentType: EVENT_STREAM_TYPE,
      },
    },
    handle: async (call) => {
      const after = call.header('last-event-id')?.trim() || call.query.text('after');
      const task = objectOf(call);
      return hub.reply(streamCaller(gate, call, 'trace'), async (signal) => {
        const ended = new AbortController();
        const batches = await runs.followTrace(call.context, task, { signal, ...(after !== undefined && { after }) });
        return feedTrace(batches, await runs.followText(call.context, task, AbortSignal.any([signal, ended.signal])), ended);
      });
    },
  };
}

export function taskRoutes(services: TaskServices): Route[] {
  return [...controlRoutes(services.runs), ...recordRoutes(services.runs), traceStreamRoute(services)];
}
