// The fixed service tool.v1.ToolService of resources/proto/tool/v1/tool.proto, as types. Pure.
import { declareMessage, joinRegistries, type TypeRegistry } from './message-types.ts';
import { wellKnownTypes } from './well-known-types.ts';

export const TOOL_METHOD = 'tool.v1.ToolService/Invoke';

const messages = [
  declareMessage('tool.v1.InvokeRequest', {
    tool_contract_version: 'string',
    request_id: 'string',
    task_id: 'string',
    namespace: 'string',
    agent: 'string',
    tool: 'tool.v1.Tool',
    input: 'google.protobuf.Struct',
    attempt: 'int32',
  }),
  declareMessage('tool.v1.Tool', { name: 'string', operation: 'string', capabilities: 'repeated string', risk_level: 'string' }),
  declareMessage('tool.v1.InvokeReply', { status: 'string', output: 'tool.v1.Output', error: 'tool.v1.Error' }),
  declareMessage('tool.v1.Output', { result: 'google.protobuf.Value' }),
  declareMessage('tool.v1.Error', { code: 'string', reason: 'string', retryable: 'bool', message: 'string' }),
];

export const toolServiceTypes: TypeRegistry = joinRegistries(
  {
    messages: new Map(messages.map((message) => [message.name, message])),
    enums: new Map(),
    methods: new Map([[TOOL_METHOD, { input: 'tool.v1.InvokeRequest', output: 'tool.v1.InvokeReply', streaming: false }]]),
  },
  wellKnownTypes,
);
