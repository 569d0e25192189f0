// An HTTP API whose answers hold texts of the test's choice in every field, for what svcctl makes of them. No server is behind it.
import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SESSION_EVENT_TYPES } from '@svc/shared/api/sessions';
import { isObject } from '@svc/shared/json';
import { kindByPlural } from '@svc/shared/kinds';
import type { KindDefinition } from '@svc/shared/kinds/define';

/** The text of a field; `what` is its name, such as `task` or `message`. */
export type FakeText = (what: string) => string;

export interface FakeApi {
  readonly url: string;
  /** Every request from now on is refused, with the same texts in the error. */
  readonly refuse: (status: number | undefined) => void;
  readonly stop: () => Promise<void>;
}

const AT = '2026-01-02T03:04:05.678Z';
const STEPS = [
  'task_start agent_start agent_message agent_message_join_wait agent_message_retry_scheduled agent_message_non_retryable',
  'agent_message_deadletter model_call model_error model_resolution_error tool_call tool_error tool_permission_denied',
  'tool_approval_pending tool_approval_resolved task_approval_pending task_approval_resolved policy_violation',
  'token_budget_exceeded agent_contract_violation contract_warning agent_error agent_end made_up_type',
].flatMap((line) => line.split(' '));

/** The kind's columns, spec and status alike, filled with texts. */
function fakeResource(kind: KindDefinition, text: FakeText): object {
  const resource: Record<string, unknown> = {
    apiVersion: 'svc.dev/v1',
    kind: kind.kind,
    metadata: {
      name: text('name'),
      namespace: text('namespace'),
      uid: text('uid'),
      generation: 1,
      resourceVersion: '1',
      labels: { [text('label')]: text('label') },
      annotations: { [text('annotation')]: text('annotation'), 'svc.dev/approval-rule': text('rule') },
      createdAt: AT,
      updatedAt: AT,
    },
    spec: { prompt: text('prompt'), input: JSON.stringify({ amount: text('input') }), output: text('output'), reason: text('reason') },
    status: {
      endpointID: 'e0',
      reason: text('reason'),
      lastError: text('message'),
      output: { last_output: text('output') },
      expires_at: text('time'),
      decided_by: text('agent'),
      on_behalf_of: text('agent'),
      comment: text('message'),
      edited_input: JSON.stringify({ amount: text('input') }),
      history: [{ timestamp: AT, type: 'takeover', worker: text('worker'), message: text('message') }],
    },
  };
  for (const { path } of kind.columns) setText(resource, path, text);
  const status = resource['status'] as Record<string, unknown>;
  status['phase'] = kind.kind === 'Task' ? 'Failed' : text('phase');
  return resource;
}

function setText(root: Record<string, unknown>, path: string, text: FakeText): void {
  const segments = path.split('.');
  let node = root;
  for (const segment of segments.slice(0, -1)) {
    const inner = isObject(node[segment]) ? node[segment] : {};
    node[segment] = inner;
    node = inner;
  }
  const last = segments.at(-1) ?? '';
  if (node[last] === undefined) node[last] = text(last);
}

function fakeTrace(text: FakeText): object[] {
  return STEPS.map((type, i) => ({
    timestamp: AT,
    type,
    step_id: `a001.s${i}`,
    attempt: 1,
    branch_id: 'b001',
    agent: text('agent'),
    tool: text('tool'),
    message: text('message'),
    input: { value: text('input') },
    output: text('output'),
    latency_ms: 1234,
    error_code: text('code'),
    error_reason: text('reason'),
    approval: text('approval'),
    isolation: { mode: text('mode') },
  }));
}

const fakeDecision = (text: FakeText): object => ({
  version: 1,
  seq: 1,
  timestamp: AT,
  type: 'tool',
  approval: { kind: 'ToolApproval', namespace: text('namespace'), name: text('name'), uid: text('uid') },
  task: { namespace: text('namespace'), name: text('task'), uid: text('uid') },
  agent: text('agent'),
  tool: text('tool'),
  operation: text('code'),
  request_id: text('uid'),
  decision: 'approved',
  outcome: text('code'),
  proposed_input: { value: text('input') },
  edited_input: { value: text('input') },
  rule: { kind: 'ToolPermission', namespace: text('namespace'), name: text('name'), path: text('code') },
  decider: { name: text('agent'), method: 'bearer', on_behalf_of: text('agent') },
  comment: text('message'),
  previous_hash: text('hash'),
  key_id: text('hash'),
  hash: text('hash'),
  signature: text('hash'),
});

const fakeEvent = (text: FakeText): object => ({
  id: '1',
  timestamp: AT,
  source: text('source'),
  type: text('code'),
  kind: 'Task',
  namespace: text('namespace'),
  name: text('name'),
  message: text('message'),
  data: {},
});

const fakeVerdict = (text: FakeText): object => ({
  verdict: 'deny',
  code: text('code'),
  reason: text('reason'),
  message: text('message'),
  rule: { kind: 'ToolPermission', namespace: text('namespace'), name: text('name'), path: text('code') },
  findings: [{ effect: 'deny', message: text('message') }],
});

const fakeTurn = (text: FakeText): object => ({
  id: 'turn-1',
  queue_sequence: 1,
  content: text('message'),
  phase: 'Queued',
  task_name: text('task'),
  output: { last_output: text('output') },
  last_error: text('message'),
  created_at: AT,
});

const fakeCheckpoint = (text: FakeText): object => ({
  id: text('hash'),
  turn_id: text('uid'),
  task_name: text('task'),
  agent: text('agent'),
  safe_point: text('code'),
  event_sequence: 1,
  parent_checkpoint_id: text('hash'),
  state_hash: text('hash'),
  state_bytes: 1,
  state_version: 1,
  created_at: AT,
  expires_at: text('time'),
});

/** One event of each type, of a turn that ends. */
function fakeSessionEvents(text: FakeText): object[] {
  const names = 'role content delta reason tool request_id output error_code name decision decided_by error code message checkpoint_id';
  const payload = { ...Object.fromEntries(names.split(' ').map((name) => [name, text(name)])), input: { value: text('input') } };
  const ends = ['session.paused', 'turn.completed'];
  const types = [...SESSION_EVENT_TYPES.filter((type) => !ends.includes(type)), text('type'), ...ends];
  return types
    .map((type, i) => ({ seq: i + 1, type, turn_id: i % 2 === 0 ? text('uid') : 'turn-1', timestamp: AT, payload }))
    .map((event) => (event.type === 'turn.completed' ? { ...event, turn_id: 'turn-1' } : event));
}

function fakeDiff(text: FakeText): object {
  const aligned = (item: () => object) => ({
    shared: [item()],
    left: [item()],
    right: [item()],
    cut: { shared: true, left: true, right: true },
  });
  const side = () => ({ namespace: text('name'), session: text('name'), checkpoint: fakeCheckpoint(text), verified: true });
  const call = () => ({
    turn_id: text('uid'),
    tool: text('tool'),
    agent: text('agent'),
    input: { value: text('input') },
    ok: false,
    result_hash: text('hash'),
  });
  const used = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  return {
    left: side(),
    right: side(),
    messages: aligned(() => ({ role: text('role'), content: text('content') })),
    tool_calls: { ...aligned(call), complete: false },
    outputs: { items: [{ agent: text('agent'), left: text('output') }], complete: false },
    agents: { items: [{ agent: text('agent'), right: { model: text('model'), prompt: text('prompt') } }], complete: false },
    usage: { left: used, right: used },
  };
}

/** Answer of a path below a Session. */
function fakeSessionAnswer(path: string, method: string, text: FakeText): unknown {
  const [, below] = /^\/v1\/sessions\/[^/]+\/(.+)$/.exec(path) ?? [];
  if (below === undefined) return undefined;
  if (below === 'turns') return method === 'GET' ? { items: [fakeTurn(text)] } : { turn: fakeTurn(text), created: true };
  if (below === 'events') return { items: fakeSessionEvents(text) };
  if (below === 'checkpoints') return { items: [fakeCheckpoint(text)] };
  if (/^checkpoints\/[^/]+$/.test(below)) return fakeCheckpoint(text);
  if (below.endsWith('/replay')) return { verified: false, state_hash: text('hash'), events: fakeSessionEvents(text) };
  if (below.includes('/diff')) return fakeDiff(text);
  const session = fakeResource(kindByPlural('sessions') as KindDefinition, text);
  if (/\/(?:rewind|fork)$/.test(below)) return { session, checkpoint_id: text('hash'), checkpoint: null, resumed: true };
  return session;
}

/** Answer of a path; undefined when it is about objects of a kind. */
function fakeAnswer(path: string, text: FakeText): unknown {
  const answers: readonly (readonly [RegExp, () => unknown])[] = [
    [/\/trace$/, () => ({ items: fakeTrace(text) })],
    [/\/logs$/, () => ({ name: 'x', logs: [`${AT} ${text('message')}`] })],
    [
      /\/messages$/,
      () => ({
        total: 1,
        lifecycle_counts: {},
        messages: [
          {
            timestamp: AT,
            message_id: text('uid'),
            from_agent: text('agent'),
            to_agent: text('agent'),
            branch_id: 'b001.001.002',
            type: 'task_handoff',
            phase: 'RetryPending',
            attempts: 10,
            max_attempts: 10,
            content: text('output'),
          },
        ],
      }),
    ],
    [
      /\/deliveries$/,
      () => ({
        items: [{ id: text('uid'), time: AT, event_id: text('uid'), outcome: text('code'), reason: text('reason'), task: text('task') }],
      }),
    ],
    [
      /\/slots$/,
      () => ({
        items: [
          {
            id: text('uid'),
            slot: text('time'),
            time: AT,
            outcome: text('code'),
            count: 2,
            reason: text('reason'),
            task: text('task'),
            phase: text('phase'),
          },
        ],
      }),
    ],
    [
      /\/results$/,
      () => ({
        items: [
          {
            ...{ run: 1, case: text('name'), variant: text('name'), repeat: 1, task: text('task'), outcome: text('code') },
            ...{ output: text('output'), output_chars: 9, error: text('message'), tokens: 1, cost_usd: 1, active_ms: 1 },
            rating: { thumb: 'down', note: text('message'), by: text('agent'), at: AT, version: 1 },
          },
        ],
      }),
    ],
    [/\/rating$/, () => ({ thumb: 'up', note: text('message'), by: text('agent'), at: AT, version: 2 })],
    [/^\/v1\/experiment-estimates$/, () => ({ runs: 1, based_on: 1, tokens: 1, cost_usd: 1, problems: [] })],
    [/\/entries$/, () => ({ entries: [{ key: text('key'), value: text('value'), score: 0.25 }], count: 1 })],
    [/\/entries\//, () => ({ key: text('key'), created: true })],
    [/\/redeliver$/, () => ({ task: text('task') })],
    [/^\/v1\/webhook-deliveries\//, () => ({ accepted: true, duplicate: false, event_id: text('uid'), task: text('task') })],
    [/\/explain$/, () => ({ reasons: [{ code: text('code'), message: text('message') }] })],
    [/^\/v1\/events$/, () => ({ items: [fakeEvent(text)] })],
    [/^\/v1\/decisions\/key$/, () => ({ key_id: text('hash'), public_key_pem: text('hash') })],
    [/^\/v1\/decisions\/\d+$/, () => fakeDecision(text)],
    [/^\/v1\/decisions$/, () => ({ items: [fakeDecision(text)] })],
    [
      /^\/v1\/tokens/,
      () => ({
        token: text('hash'),
        items: [{ name: text('name'), role: 'writer', created_at: AT, a2a_agent_systems: [text('name'), text('name')] }],
      }),
    ],
    [
      /^\/v1\/auth\/(users|sessions|admin)/,
      () => ({
        username: text('name'),
        role: text('name'),
        password: text('hash'),
        items: [
          {
            id: text('hash'),
            username: text('name'),
            role: text('name'),
            method: text('name'),
            created_at: AT,
            client_address: text('name'),
          },
        ],
      }),
    ],
    [/^\/v1\/authorize\/check$/, () => ({ ...fakeVerdict(text), model: { ...fakeVerdict(text), model: text('name') } })],
    [/^\/v1\/capabilities$/, () => ({ version: text('version') })],
    [/^\/v1\/namespaces$/, () => ({ namespaces: [text('namespace')] })],
    [
      /^\/v1\/apply$/,
      () => ({ results: [{ kind: 'Agent', namespace: text('namespace'), name: text('name'), action: 'created', resourceVersion: '1' }] }),
    ],
  ];
  return answers.find(([pattern]) => pattern.test(path))?.[1]();
}

function stream(response: ServerResponse, items: readonly { event: string; data: unknown }[], stays: boolean): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [i, { event, data }] of items.entries()) response.write(`id: ${i + 1}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  if (!stays) response.end();
}

function answer(response: ServerResponse, { method, path }: { method: string; path: string }, text: FakeText): void {
  if (path.endsWith('/trace/stream')) {
    stream(
      response,
      fakeTrace(text).map((data) => ({ event: 'trace', data })),
      false,
    );
    return;
  }
  if (path === '/v1/events/watch') return stream(response, [{ event: 'event', data: { ...fakeEvent(text), id: '2' } }], true);
  if (/^\/v1\/sessions\/.*\/stream$/.test(path))
    return stream(
      response,
      fakeSessionEvents(text).map((data) => ({ event: 'session', data })),
      true,
    );
  const [, plural = '', name] = /^\/v1\/([^/]+)(?:\/([^/]+))?/.exec(path) ?? [];
  const kind = kindByPlural(plural);
  const resource = kind && fakeResource(kind, text);
  if (kind && name === 'watch') {
    const item = { type: 'created', kind: kind.kind, namespace: 'x', name: 'x', resourceVersion: '1', resource };
    stream(
      response,
      [
        { event: 'resource', data: item },
        { event: 'synced', data: { seq: 1 } },
      ],
      true,
    );
    return;
  }
  const body =
    fakeSessionAnswer(path, method, text) ??
    fakeAnswer(path, text) ??
    (name === undefined && method === 'GET' ? { items: [resource] } : resource);
  // Header values hold Latin-1 only.
  const warning = text('warning').replace(/[^\u0020-\u007e\u0080-\u00ff]/g, '?');
  response.writeHead(200, { 'content-type': 'application/json', warning: `299 - "${warning}"` });
  response.end(JSON.stringify(body ?? {}));
}

export async function startFakeApi(text: FakeText): Promise<FakeApi> {
  let refusal: number | undefined;
  const server = createServer((request, response) => {
    request.resume();
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    if (refusal === undefined) return answer(response, { method: request.method ?? '', path: pathname }, text);
    const error = { code: 'invalid', message: text('message'), details: [{ path: text('path'), message: text('message') }] };
    response.writeHead(refusal, { 'content-type': 'application/json', 'x-request-id': text('id').replace(/[^ -~]/g, '?') });
    response.end(JSON.stringify({ error }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuse: (status) => {
      refusal = status;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
