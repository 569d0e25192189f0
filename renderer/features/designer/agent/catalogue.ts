// Templates of tools: the few fields that a person must fill in, and the Tool that they make. Pure.

interface ToolField {
  readonly id: string;
  readonly label: string;
  readonly placeholder: string;
  readonly hint?: string;
  readonly optional?: boolean;
}

export interface ToolTemplate {
  readonly id: string;
  readonly title: string;
  readonly hint: string;
  /** Name of the tool until the user enters a different one. */
  readonly name: string;
  readonly risk: string;
  readonly operation: string;
  readonly fields: readonly ToolField[];
  readonly spec: (fields: Readonly<Record<string, string>>) => Readonly<Record<string, unknown>>;
}

/** One text named `query`: what most tools begin with. Its form is edited in the tool's own page. */
const QUERY = {
  type: 'object',
  properties: { query: { type: 'string', description: 'The request as text.' } },
  required: ['query'],
};

const ADDRESS: ToolField = { id: 'endpoint', label: 'Address', placeholder: 'https://api.example.com/search' };

/** Arguments as people write them: split at spaces, quotes keep them together, also within a word. Each becomes exactly one argument. */
function argumentsOf(line: string): readonly string[] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|\{\{.*?\}\}|\S)+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

function command({ command: line = '', image = '' }: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  const [program = '', ...args] = argumentsOf(line);
  return {
    type: 'cli',
    cli: { command: program, ...(args.length > 0 && { args }), ...(image !== '' && { image }) },
    input_schema: QUERY,
    ...(image === '' && { runtime: { isolation_mode: 'none' } }),
  };
}

export const TOOL_TEMPLATES: readonly ToolTemplate[] = [
  {
    id: 'http',
    title: 'HTTP request',
    hint: 'Posts the input to an address and returns the answer.',
    name: 'search',
    risk: 'low',
    operation: 'read',
    fields: [ADDRESS],
    spec: ({ endpoint }) => ({ type: 'http', endpoint, input_schema: QUERY }),
  },
  {
    id: 'cli',
    title: 'Command',
    hint: 'Runs a program without a shell and returns its output.',
    name: 'command',
    risk: 'medium',
    operation: 'read',
    fields: [
      {
        id: 'command',
        label: 'Command',
        placeholder: 'grep -n "{{ .query }}" notes.txt',
        hint: 'Each {{ .field }} of the input is one argument.',
      },
      {
        id: 'image',
        label: 'Container image',
        placeholder: 'alpine:3',
        optional: true,
        hint: 'Without an image it runs on the worker itself, without isolation.',
      },
    ],
    spec: command,
  },
  {
    id: 'webhook-callback',
    title: 'Webhook with a callback',
    hint: 'Sends the request and waits until the other side calls back.',
    name: 'ticket',
    risk: 'medium',
    operation: 'write',
    fields: [{ ...ADDRESS, placeholder: 'https://hooks.example.com/tickets' }],
    spec: ({ endpoint }) => ({ type: 'webhook-callback', endpoint, input_schema: QUERY }),
  },
  {
    id: 'grpc',
    title: 'gRPC service',
    hint: 'Calls a service that speaks the tool protocol.',
    name: 'lookup',
    risk: 'low',
    operation: 'read',
    fields: [{ ...ADDRESS, placeholder: 'tools.example.com:443' }],
    spec: ({ endpoint }) => ({ type: 'grpc', endpoint, input_schema: QUERY }),
  },
  {
    id: 'a2a',
    title: 'Remote agent',
    hint: 'Sends the request to a remote agent over A2A.',
    name: 'partner',
    risk: 'medium',
    operation: 'read',
    fields: [{ id: 'agent', label: 'Address of the agent', placeholder: 'https://agents.example.com/a2a' }],
    spec: ({ agent }) => ({ type: 'a2a', a2a: { agent_url: agent }, input_schema: QUERY }),
  },
];

export interface NewTool {
  readonly template: ToolTemplate;
  readonly fields: Readonly<Record<string, string>>;
  readonly description: string;
  readonly risk: string;
}

export function toolSpec({ template, fields, description, risk }: NewTool): Readonly<Record<string, unknown>> {
  const { type, ...rest } = template.spec(fields);
  return { type, ...(description !== '' && { description }), ...rest, operation_classes: [template.operation], risk_level: risk };
}
