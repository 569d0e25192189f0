// JSON Schemas of request and response bodies that belong to no kind; the kinds' own come from their definitions.
import { SAFE_POINTS, SESSION_EVENT_TYPES, TURN_PHASES } from '@svc/shared/api/sessions';
import { DECISION_TYPES } from '@svc/shared/decision-record';
import { ANSWERED, CALL_OUTCOMES } from '@svc/shared/kinds/tool-approval/outcomes';
import { OPERATION_CLASSES } from '@svc/shared/kinds/tool/schema';
import type { JsonSchema } from '../route.ts';
import { arrayOf, integer, object, string, time, textMap } from './schema-parts.ts';
import { a2aSchemas } from './a2a-schemas.ts';
import { bundleSchemas } from './bundle-schemas.ts';
import { memorySchemas } from './memory-schemas.ts';
import { trialSchemas } from './trial-schemas.ts';
import { triggerSchemas } from './trigger-schemas.ts';
import { versionSchemas } from './version-schemas.ts';

export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

const anyObject: JsonSchema = { type: 'object', additionalProperties: true };

/** All of its fields are optional, and no others are taken. */
function closed(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { ...object(properties, []), additionalProperties: false };
}

/** A page of items with the cursor to the next one. */
export const pageOf = (items: JsonSchema): JsonSchema =>
  object({ items: arrayOf(items), continue: { type: 'string', description: 'Cursor of the next page; absent at the end.' } }, ['items']);

const seenUid: JsonSchema = {
  type: 'string',
  description: 'The metadata.uid of the approval that was read: 409 when another approval has its name now.',
};

const sessionUsage = object({ input_tokens: integer, output_tokens: integer, total_tokens: integer });

/** Two lists that begin with the same items. */
const aligned = (items: JsonSchema, more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema =>
  object({
    ...{ shared: arrayOf(items), left: arrayOf(items), right: arrayOf(items) },
    cut: {
      ...object({ shared: { type: 'boolean' }, left: { type: 'boolean' }, right: { type: 'boolean' } }),
      description: 'Parts of which items were left out.',
    },
    ...more,
  });

/** Values by agent that differ. */
const differences = (value: JsonSchema): JsonSchema =>
  object({ items: arrayOf(object({ agent: string, left: value, right: value }, ['agent'])), complete: { type: 'boolean' } });

const errorSchema = object({
  error: object(
    {
      code: { type: 'string', description: 'One of a closed set.' },
      message: { type: 'string', description: 'One sentence that names the field or object.' },
      details: arrayOf(object({ path: string, message: string })),
    },
    ['code', 'message'],
  ),
});

const metadata = object(
  {
    name: string,
    namespace: string,
    labels: textMap,
    annotations: textMap,
    uid: { type: 'string', readOnly: true },
    resourceVersion: { type: 'string', description: 'Decimal, +1 on each write. In a request: the version it is based on.' },
    generation: { type: 'integer', readOnly: true },
    createdAt: { type: 'string', format: 'date-time', readOnly: true },
    updatedAt: { type: 'string', format: 'date-time', readOnly: true },
    createdBy: { type: 'string', readOnly: true, description: 'Identity that created the object.' },
    updatedBy: { type: 'string', readOnly: true, description: 'Identity of the last write; `system:<part>` for a part of the service.' },
  },
  ['name'],
);

const role: JsonSchema = { type: 'string', enum: ['reader', 'approver', 'writer', 'admin', 'a2a'] };
const token = { name: string, role, a2a_agent_systems: arrayOf(string), created_at: { type: 'string', format: 'date-time' } };
const username: JsonSchema = { type: 'string', minLength: 3, maxLength: 64, pattern: '^[A-Za-z0-9._@-]+$' };
const password: JsonSchema = { type: 'string', minLength: 12, maxLength: 1024 };
const userRole: JsonSchema = { type: 'string', enum: ['reader', 'approver', 'writer', 'admin'] };
const date: JsonSchema = { type: 'string', format: 'date-time' };
const user = { username, role: userRole, created_at: date, password_changed_at: date };
const eventRecord = object({
  id: string,
  timestamp: string,
  source: string,
  type: string,
  kind: string,
  namespace: string,
  name: string,
  action: string,
  message: string,
  data: anyObject,
});
const applied = object({
  kind: string,
  namespace: string,
  name: string,
  action: { type: 'string', enum: ['created', 'configured', 'unchanged', 'pruned'] },
  resourceVersion: string,
});
const capability = object({ id: string, enabled: { type: 'boolean' }, description: string, source: string });
const traceEntry: JsonSchema = {
  ...anyObject,
  description: 'One step of a run: timestamp, step_id, attempt, type, agent, tool, message, input, output, latency_ms, tokens, …',
};
const messages = object(
  {
    name: string,
    namespace: string,
    total: integer,
    filtered_from: integer,
    lifecycle_counts: { type: 'object', additionalProperties: integer },
    messages: arrayOf(anyObject),
    continue: string,
  },
  ['name', 'namespace', 'total', 'messages'],
);
const reason = object({ code: string, message: string, since: string, until: string, object: anyObject }, ['code', 'message']);

const rule = object({ kind: string, namespace: string, name: string, path: string }, ['kind']);
const verdict: JsonSchema = { type: 'string', enum: ['allow', 'deny', 'approval_required'] };
const judged = {
  verdict,
  code: { type: 'string', description: 'Of a denial: permission_denied, policy_violation, not_found or unsupported_tool.' },
  reason: { type: 'string', description: 'Machine-readable: what let the call through, or why not.' },
  message: string,
  rule: { ...rule, description: 'What decided: an object and the place in it, or a default of the server.' },
  findings: {
    ...arrayOf(object({ rule, effect: { type: 'string', enum: ['allow', 'deny', 'approval_required', 'none'] }, message: string })),
    description: 'Every rule that was read, in order.',
  },
} as const;
const JUDGED = ['verdict', 'reason', 'message', 'rule', 'findings'] as const;
const objectName = (what: string): JsonSchema => ({ type: 'string', description: `${what}, as name or namespace/name.` });

/** Named components of the OpenAPI document. */
export const COMPONENT_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Error: errorSchema,
  Metadata: metadata,
  StatusView: object({ metadata: ref('Metadata'), status: anyObject }),
  WatchItem: object(
    {
      type: { type: 'string', enum: ['created', 'updated', 'deleted'] },
      kind: string,
      namespace: string,
      name: string,
      resourceVersion: string,
      resource: anyObject,
      snapshot: { type: 'boolean' },
    },
    ['type', 'kind', 'namespace', 'name', 'resourceVersion', 'resource'],
  ),
  Event: eventRecord,
  ApplyResult: object({ results: arrayOf(applied) }),
  Namespaces: object({ namespaces: arrayOf(string) }),
  Capabilities: object({ generated_at: string, version: string, capabilities: arrayOf(capability) }),
  Health: object({ status: { type: 'string', const: 'ok' } }),
  Readiness: object(
    {
      status: { type: 'string', enum: ['ok', 'unavailable'] },
      checks: arrayOf(object({ name: string, ok: { type: 'boolean' }, message: string }, ['name', 'ok'])),
    },
    ['status'],
  ),
  Token: object(token, ['name', 'role', 'created_at']),
  NewToken: object({ ...token, token: { type: 'string', description: 'Shown only here.' } }, ['name', 'role', 'created_at', 'token']),
  TokenRequest: object(
    {
      name: string,
      role,
      a2a_agent_systems: { ...arrayOf(string), description: 'For role a2a: the systems it may invoke, name or namespace/name.' },
    },
    ['name', 'role'],
  ),
  AuthConfig: object({
    mode: { type: 'string', enum: ['off', 'native'] },
    setup_required: { type: 'boolean' },
    login_methods: arrayOf(string),
    setup_token_required: { type: 'boolean' },
  }),
  LoginRequest: object(
    {
      username: { type: 'string', description: 'In mode `native`, with `password`.' },
      password: string,
      token: { type: 'string', description: 'In place of both: an API token of another role than a2a.' },
    },
    [],
  ),
  SetupRequest: object(
    { username, password, setup_token: { type: 'string', description: 'The setup token of the server, where it has one.' } },
    ['username', 'password'],
  ),
  User: object(user),
  NewUser: object({ ...user, password: { type: 'string', description: 'Generated; shown only in this response.' } }),
  UserRequest: object({ username, role: userRole }),
  UserRoleRequest: object({ role: userRole }),
  PasswordReset: object(
    { ...user, password: { type: 'string', description: 'Shown only in this response, when it was generated.' } },
    Object.keys(user),
  ),
  PasswordResetRequest: object(
    { username, new_password: { ...password, description: 'At least 12 characters; absent: the server generates one.' } },
    ['username'],
  ),
  PasswordChangeRequest: object({ current_password: string, new_password: password }),
  SignInRecord: object({
    id: string,
    username: { type: 'string', description: 'Name of the user or the token.' },
    method: { type: 'string', enum: ['password', 'token'] },
    created_at: { type: 'string', description: 'Empty for sign-ins of older versions.' },
    expires_at: string,
    client_address: string,
    user_agent: string,
    current: { type: 'boolean', description: 'The sign-in of this request.' },
  }),
  SignedIn: object({
    authenticated: { type: 'boolean' },
    username: { type: 'string', description: 'The name of the user or the token.' },
    role: string,
    method: { type: 'string', enum: ['session', 'none'], description: '`none`: authentication is off, and no cookie was set.' },
  }),
  AuthMe: object({
    authenticated: { type: 'boolean' },
    method: { type: 'string', enum: ['none', 'session', 'bearer'] },
    name: string,
    role: string,
  }),
  Logs: object({ name: string, logs: arrayOf({ type: 'string', description: '`<RFC 3339> text`' }), continue: string }, ['name', 'logs']),
  TaskMessages: messages,
  TaskMetrics: object({
    name: string,
    namespace: string,
    generated_at: string,
    totals: anyObject,
    per_agent: arrayOf(anyObject),
    per_edge: arrayOf(anyObject),
  }),
  TraceEntry: traceEntry,
  DeltaEvent: object(
    {
      request_id: string,
      step_id: string,
      attempt: { type: 'integer' },
      step: { type: 'integer' },
      branch_id: string,
      agent: string,
      at: { type: 'integer', description: 'Where the text begins in that of the call, in UTF-16 units.' },
      text: { type: 'string', description: 'Next text of the call.' },
      reset: {
        type: 'string',
        enum: ['taken_back', 'sent_again', 'behind'],
        description:
          'Instead of text: all text of the call is withdrawn. The call failed or was aborted (taken_back), begins again on another worker (sent_again), or this reader was too slow (behind); the record will have its text.',
      },
    },
    ['request_id', 'step_id', 'attempt', 'step', 'branch_id', 'agent'],
  ),
  TracePage: object({ name: string, items: arrayOf(ref('TraceEntry')), continue: string }, ['name', 'items']),
  Explanation: object({ name: string, namespace: string, phase: string, reasons: arrayOf(reason) }),
  CancelRequest: object({ reason: string }, []),
  ApproveRequest: closed({
    decided_by: {
      type: 'string',
      description: 'Who decides; the caller when absent. With auth on it is always the caller, and another name is kept as on_behalf_of.',
    },
    comment: string,
    reason: { type: 'string', deprecated: true, description: 'Older name of comment.' },
    uid: seenUid,
    outcome: { type: 'string', enum: [...CALL_OUTCOMES, ANSWERED], description: 'Required when it is unknown to the server.' },
    output: {
      description: 'The answer that the model gets: optional with outcome done, required with answered.',
      oneOf: [string, anyObject],
    },
    input: {
      description: 'Edited arguments of a call that has not been made: an object, or the JSON text of one.',
      oneOf: [string, anyObject],
    },
  }),
  DenyRequest: closed({
    decided_by: string,
    comment: string,
    reason: { type: 'string', deprecated: true, description: 'Older name of comment.' },
    uid: seenUid,
  }),
  AuthorizationCheck: {
    ...object(
      {
        agent: objectName('The Agent that calls'),
        tool: objectName('The Tool, as the agent names it'),
        operation: { type: 'string', enum: [...OPERATION_CLASSES], description: 'Only this operation class; absent: all of the tool.' },
        system: objectName('The AgentSystem of the run'),
        task: objectName('The Task of the run, which need not exist yet'),
        model: objectName('The ModelEndpoint to ask; absent: that of the agent'),
        namespace: { type: 'string', description: 'Of names without one; absent: the query parameter.' },
      },
      ['agent', 'tool'],
    ),
    additionalProperties: false,
  },
  AuthorizationVerdict: object(
    {
      ...judged,
      agent: string,
      tool: string,
      approval: object({ ttl: string, reason: string, operation_class: string, needs_other: { type: 'boolean' } }),
      token_limit: { ...object({ tokens: integer, rule }), description: 'The smallest budget of the policies that govern the run.' },
      model: object({ endpoint: string, model: string, ...judged }, [...JUDGED, 'endpoint', 'model']),
    },
    [...JUDGED, 'agent', 'tool'],
  ),
  ReviewRequest: closed({
    decided_by: string,
    comment: { type: 'string', description: 'Required to request changes: the agent gets it.' },
    reason: { type: 'string', deprecated: true, description: 'Older name of comment.' },
    uid: seenUid,
  }),
  TurnRequest: object(
    {
      content: { type: 'string', description: 'Up to 256 KiB.' },
      interrupt: { type: 'boolean', description: 'Cancels the active turn.' },
    },
    ['content'],
  ),
  SubmittedTurn: object({ turn: ref('Turn'), created: { type: 'boolean' } }),
  Turn: object(
    {
      ...{ id: string, session_name: string, namespace: string, queue_sequence: integer, content: string },
      phase: { type: 'string', enum: [...TURN_PHASES] },
      attempt: { type: 'integer', description: 'How often a worker has begun or continued it.' },
      ...{ idempotency_key: string, task_name: string, usage: sessionUsage },
      output: object({ last_output: { type: 'string', description: 'The answer.' } }, ['last_output']),
      ...{ created_at: time, started_at: time, completed_at: time, last_error: string },
    },
    ['id', 'session_name', 'namespace', 'queue_sequence', 'content', 'phase', 'attempt', 'idempotency_key', 'created_at'],
  ),
  SessionEvent: object(
    {
      seq: { type: 'integer', description: 'From 1, without gaps within a Session.' },
      type: { type: 'string', enum: [...SESSION_EVENT_TYPES] },
      ...{ session_name: string, namespace: string, turn_id: string, message_id: string, attempt: integer, timestamp: time },
      payload: anyObject,
    },
    ['seq', 'type', 'session_name', 'namespace', 'timestamp', 'payload'],
  ),
  Checkpoint: object(
    {
      ...{ id: string, turn_id: string, task_name: string, agent: string },
      safe_point: { type: 'string', enum: [...SAFE_POINTS] },
      event_sequence: { type: 'integer', description: 'Of its own checkpoint.created.' },
      parent_checkpoint_id: string,
      state_version: integer,
      state_hash: { type: 'string', description: 'SHA-256 of the canonical state, in lower-case hex.' },
      state_bytes: integer,
      system_generation: { type: 'integer', description: 'Of the AgentSystem when the Session was created.' },
      ...{ created_at: time, expires_at: time },
    },
    ['id', 'turn_id', 'safe_point', 'event_sequence', 'state_version', 'state_hash', 'state_bytes', 'created_at', 'expires_at'],
  ),
  CheckpointReplay: object(
    {
      verified: { type: 'boolean', description: 'The folded state has the stored hash.' },
      ...{ state_hash: string, events: arrayOf(ref('SessionEvent')), continue: string, model_calls: integer, tool_calls: integer },
    },
    ['verified', 'state_hash', 'events', 'model_calls', 'tool_calls'],
  ),
  ComparedCheckpoint: object(
    {
      ...{ namespace: string, session: string, checkpoint: ref('Checkpoint'), verified: { type: 'boolean', const: true } },
      overrides: object({ model: textMap, prompt: textMap }, []),
    },
    ['namespace', 'session', 'checkpoint', 'verified'],
  ),
  CheckpointDiff: object({
    ...{ left: ref('ComparedCheckpoint'), right: ref('ComparedCheckpoint') },
    messages: aligned(object({ role: string, content: string, turn_id: string, truncated: { type: 'boolean' } }, ['role', 'content'])),
    tool_calls: aligned(
      object(
        {
          turn_id: string,
          tool: string,
          agent: string,
          input: anyObject,
          truncated: { type: 'boolean' },
          ok: { type: 'boolean' },
          result_hash: string,
        },
        ['turn_id', 'tool', 'agent', 'ok', 'result_hash'],
      ),
      { complete: { type: 'boolean', description: 'False: not every call is compared.' } },
    ),
    outputs: differences(string),
    agents: differences(object({ model: string, prompt: string })),
    usage: { ...object({ left: sessionUsage, right: sessionUsage }), description: 'Of the turns in which the conversations differ.' },
  }),
  RewindRequest: object({ interrupt: { type: 'boolean' }, resume: { type: 'boolean' } }, []),
  RewoundSession: object({ session: ref('Session'), checkpoint_id: string, resumed: { type: 'boolean' } }),
  ForkRequest: object(
    {
      name: string,
      namespace: { type: 'string', description: 'Absent: that of the Session.' },
      resume: { type: 'boolean' },
      overrides: object({ model: { oneOf: [string, textMap] }, prompt: { oneOf: [string, textMap] } }, []),
    },
    ['name'],
  ),
  ForkedSession: object({
    session: ref('Session'),
    checkpoint: { oneOf: [ref('Checkpoint'), { type: 'null' }] },
    resumed: { type: 'boolean' },
  }),
  ChatRequest: {
    ...object(
      {
        model: { type: 'string', description: 'An AgentSystem, `name` or `namespace/name`.' },
        messages: arrayOf(
          object(
            {
              role: { type: 'string', enum: ['system', 'developer', 'user', 'assistant', 'tool'] },
              content: {
                description: 'Absent or null only for an assistant that calls tools or refuses.',
                oneOf: [string, { type: 'null' }, arrayOf(object({ type: { type: 'string', const: 'text' }, text: string }))],
              },
              tool_calls: arrayOf(anyObject),
              tool_call_id: string,
            },
            ['role'],
          ),
        ),
        stream: { type: 'boolean' },
        stream_options: object({ include_usage: { type: 'boolean' } }, []),
      },
      ['model', 'messages'],
    ),
    description: 'Other fields of the API are accepted and ignored.',
    additionalProperties: true,
  },
  ChatCompletion: { ...anyObject, description: 'A chat.completion, or chat.completion.chunk objects.' },
  ChatError: object({
    error: object({ message: string, type: string, param: { type: ['string', 'null'] }, code: { type: ['string', 'null'] } }),
  }),
  JsonRpcRequest: {
    ...object(
      { jsonrpc: { type: 'string', const: '2.0' }, id: { type: ['string', 'integer', 'null'] }, method: string, params: anyObject },
      ['jsonrpc', 'method'],
    ),
    additionalProperties: true,
  },
  JsonRpcResponse: { ...anyObject, description: '`jsonrpc`, the `id` of the request, and `result` or `error`.' },
  JsonRpcError: object({
    jsonrpc: { type: 'string', const: '2.0' },
    id: { type: ['string', 'number', 'null'] },
    error: object({ code: integer, message: string }),
  }),
  Model: object({ id: string, object: { type: 'string', const: 'model' }, created: integer, owned_by: string }),
  ModelList: object({ object: { type: 'string', const: 'list' }, data: arrayOf(ref('Model')) }),
  SessionControlRequest: object({ reason: string }, []),
  ToolReply: {
    ...object(
      {
        status: { type: 'string', enum: ['ok', 'error', 'denied'] },
        output: object({ result: { description: 'A text, or any JSON.' } }, []),
        error: object({ code: string, reason: string, retryable: { type: 'boolean' }, message: string }, ['code']),
      },
      ['status'],
    ),
    additionalProperties: true,
  },
  Accepted: object({ accepted: { type: 'boolean' } }),
  DecisionRecord: {
    ...object(
      {
        version: integer,
        seq: { type: 'integer', description: 'From 1, without gaps.' },
        timestamp: { type: 'string', format: 'date-time' },
        type: { type: 'string', enum: [...DECISION_TYPES] },
        approval: anyObject,
        task: anyObject,
        decision: { type: 'string', enum: ['approved', 'denied', 'expired', 'request_changes'] },
        proposed_input: {},
        edited_input: {},
        call_hash: { type: 'string', description: 'The one call that an approval lets run.' },
        rule: { ...anyObject, description: 'The rule that required the approval.' },
        decider: { ...anyObject, description: 'Who decided; absent when it expired.' },
        previous_hash: string,
        key_id: string,
        hash: { type: 'string', description: 'SHA-256 of the canonical JSON (RFC 8785) of all other members but the signature.' },
        signature: { type: 'string', description: 'Ed25519 over the same text, base64.' },
      },
      ['version', 'seq', 'timestamp', 'type', 'approval', 'task', 'decision', 'previous_hash', 'key_id', 'hash', 'signature'],
    ),
    additionalProperties: true,
  },
  DecisionHead: object({ seq: integer, hash: string, authenticated: { type: 'boolean' }, fault: string }, ['seq', 'hash', 'authenticated']),
  DecisionKey: object({ key_id: string, algorithm: { type: 'string', const: 'Ed25519' }, public_key_pem: string, created_at: string }),
  ...{ ...triggerSchemas, ...bundleSchemas, ...memorySchemas, ...a2aSchemas, ...trialSchemas, ...versionSchemas },
};
