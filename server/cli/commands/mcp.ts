// `svcctl mcp`: tools of an MCP server, one call of a tool as a run, and the end of the standard error of its program.
import { MCP_SERVER_OWNER } from '@svc/shared/generated-objects';
import { kindByName } from '@svc/shared/kinds';
import { isObject, readJson, type Json, type JsonObject } from '@svc/shared/json';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { mcpServer } from '@svc/shared/kinds/mcp-server/index';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import { trialDocuments, trialName, trialObjects } from '@svc/shared/mcp-trial';
import { nearestWord } from '@svc/shared/nearest-word';
import type { Resource } from '@svc/shared/resource';
import { postDocuments } from '../manifests/apply-manifests.ts';
import { ApiError, type ApiClient } from '../api/client.ts';
import { collect, type CommandSetup } from '../program/command-setup.ts';
import { CliError, EXIT, usageError } from '../program/exit-codes.ts';
import type { TaskKey } from '../api/follow-trace.ts';
import { inputFromPairs, readInputMap } from '../arguments/input-pairs.ts';
import type { Invocation } from '../program/invocation.ts';
import { handleFromWord } from '../arguments/named-argument.ts';
import { listPrinter } from '../output/list-printer.ts';
import { printRecord, RECORD_FORMATS } from '../output/one-record.ts';
import { cellText } from '../output/resources.ts';
import { wrapped } from '../output/text-width.ts';
import { deleteObject, getObject, listObjects, type ObjectHandle, type ObjectKey } from '../api/resource-api.ts';
import { followToEnd } from '../api/task-runs.ts';
import { readTrace } from './trace.ts';

const SERVER_HELP = 'name of the MCP server';
interface CallOptions {
  readonly input?: readonly string[] | undefined;
  readonly inputFile?: string | undefined;
  readonly role?: readonly string[] | undefined;
  readonly quiet?: boolean | undefined;
}

export const setupMcp: CommandSetup = (command, run) => {
  command
    .command('tools')
    .description('list the tools of a server, and the Tools generated from them')
    .argument('<server>', SERVER_HELP)
    .option('--no-headers', 'print the table without its titles')
    .action((word) => run((invocation) => tools(invocation, word)));
  command
    .command('call')
    .description('call a tool once as a run, under the rules for agents')
    .argument('<server>', SERVER_HELP)
    .argument('<tool>', 'name of the tool at the server, or of its Tool')
    .option('-i, --input <key=value>', 'one input value, text or JSON as the schema of the tool says; may be repeated', collect)
    .option('--input-file <path>', 'a YAML or JSON map of input values, or - for standard input')
    .option('--role <name>', 'a role of the calling agent; may be repeated', collect)
    .option('-q, --quiet', 'print no steps, only the result')
    .addHelpText(
      'after',
      '\nThe call is a run of a temporary agent system with a scripted model.\nThe command waits for approvals that rules require; Ctrl-C cancels the run.\nThe task stays as a record.\nExit code 0: the tool answered, 1: the run or the call failed.',
    )
    .action((server, tool, options) => run((invocation) => call(invocation, { server, tool }, options)));
  command
    .command('logs')
    .description('print the last 64 KiB that the program of a server wrote to its standard error')
    .argument('<server>', SERVER_HELP)
    .action((word) => run((invocation) => logs(invocation, word)));
};

const handleOf = (invocation: Invocation, word: string): Promise<ObjectHandle> => handleFromWord(invocation, mcpServer, word);

async function generatedTools(client: ApiClient, { namespace, name }: ObjectKey): Promise<Resource[]> {
  const kind = kindByName('Tool') as KindDefinition;
  const found: Resource[] = [];
  for await (const page of listObjects(client, kind, { namespace, labelSelector: `${MCP_SERVER_OWNER}=${name}` })) found.push(...page);
  return found;
}

interface ToolRecord {
  /** Name at the server. */
  readonly name: string;
  /** Null: the server lists it, and no Tool was generated. */
  readonly tool: string | null;
  readonly operations: readonly string[];
  readonly risk: string | null;
  readonly description: string | null;
}

async function tools(invocation: Invocation, word: string): Promise<void> {
  const print = listPrinter<ToolRecord>(invocation, {
    columns: [
      { title: 'NAME', cell: ({ name }) => name },
      { title: 'TOOL', cell: ({ tool }) => cellText(tool) },
      { title: 'OPERATIONS', cell: ({ operations }) => cellText(operations.join(', ')) },
      { title: 'RISK', cell: ({ risk }) => cellText(risk) },
      { title: 'DESCRIPTION', cell: ({ description }) => cellText(description) },
    ],
    drop: ['DESCRIPTION', 'OPERATIONS', 'RISK', 'TOOL'],
    empty: 'No tools.',
  });
  const { client, key } = await handleOf(invocation, word);
  const server = await getObject(client, key);
  const generated = (await generatedTools(client, key)).map(recordOf);
  const known = new Set(generated.map(({ name }) => name));
  const rest = (statusOf('McpServer', server).discoveredTools ?? []).filter((name) => !known.has(name));
  const others = rest.map((name): ToolRecord => ({ name, tool: null, operations: [], risk: null, description: null }));
  noteState(invocation, server);
  print([...generated, ...others].sort((a, b) => (a.name < b.name ? -1 : 1)));
}

function recordOf(tool: Resource): ToolRecord {
  const { mcp_tool_name: name, operation_classes: operations, risk_level: risk, description } = specOf('Tool', tool);
  return {
    name: name ?? '',
    tool: tool.metadata.name,
    operations: operations ?? [],
    risk: risk ?? null,
    description: description === undefined || description === '' ? null : description,
  };
}

/** States a problem of the connection on stderr; a list beside it may be out of date. */
function noteState(invocation: Invocation, server: Resource): void {
  const { phase = 'Pending', lastError } = statusOf('McpServer', server);
  if (phase === 'Ready' && lastError === undefined) return;
  const { columns } = invocation.terminal.stderr;
  const text = lastError === undefined ? phase : `${phase}: ${lastError}`;
  invocation.note(...wrapped(text, columns ?? text.length).map(invocation.errorStyle.warn));
}

async function call(
  invocation: Invocation,
  { server: word, tool: toolWord }: { readonly server: string; readonly tool: string },
  options: CallOptions,
): Promise<number> {
  invocation.format(RECORD_FORMATS);
  const pairs = inputFromPairs(options.input ?? []);
  const given = options.inputFile === undefined ? {} : await readInputMap(invocation.terminal, options.inputFile);
  const { client, key } = await handleOf(invocation, word);
  const { namespace } = key;
  const { name: server } = (await getObject(client, key)).metadata;
  const tool = await toolNamed(client, key, toolWord);
  const input = { ...given, ...typedValues(pairs, specOf('Tool', tool).input_schema) } as JsonObject;
  const trial = { name: trialName(new Date()), namespace, server, tool: tool.metadata.name, input, roles: options.role ?? [] };
  await postDocuments(client, trialDocuments(trial), { namespace, fieldValidation: 'Strict' });
  try {
    const task = { namespace, name: trial.name };
    const code = await followToEnd(invocation, task, { quiet: options.quiet, cancelOnInterrupt: true });
    return code === EXIT.ok && !(await hasResult(client, task)) ? EXIT.failed : code;
  } finally {
    await removeDefinitions(client, trial);
  }
}

/** Whether the tool answered: a run whose call failed can succeed, for its model gets the error. */
async function hasResult(client: ApiClient, task: TaskKey): Promise<boolean> {
  return (await readTrace(client, task)).some(({ type }) => type === 'tool_call');
}

async function toolNamed(client: ApiClient, key: ObjectKey, word: string): Promise<Resource> {
  const found = await generatedTools(client, key);
  const names = found.map((tool) => specOf('Tool', tool).mcp_tool_name ?? '');
  const tool = found[names.indexOf(word)] ?? found.find(({ metadata }) => metadata.name === word);
  if (tool) return tool;
  const near = nearestWord(word, names);
  throw new CliError(`the McpServer "${key.name}" has no imported tool "${word}"`, {
    exitCode: EXIT.notFound,
    hint: (svcctl) => (near === undefined ? `"${svcctl} mcp tools ${key.name}" lists them` : `did you mean "${near}"?`),
  });
}

/** Values as the schema types them: text stays text, anything else is read as JSON where it is JSON. */
function typedValues(pairs: Readonly<Record<string, string>>, schema: unknown): Record<string, Json> {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  return Object.fromEntries(
    Object.entries(pairs).map(([name, text]): [string, Json] => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const value = isObject(property) && property.type === 'string' ? undefined : readJson(text);
      return [name, value === undefined ? text : (value as Json)];
    }),
  );
}

/** Removes what the run no longer needs; the Task stays. */
async function removeDefinitions(client: ApiClient, trial: { readonly namespace: string; readonly name: string }): Promise<void> {
  for (const { kind: kindName, ...place } of trialObjects(trial)) {
    if (kindName === 'Task') continue;
    const kind = kindByName(kindName) as KindDefinition;
    await deleteObject(client, { kind, ...place }, false).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
    });
  }
}

async function logs(invocation: Invocation, word: string): Promise<void> {
  invocation.format(RECORD_FORMATS);
  const { client, key } = await handleOf(invocation, word);
  const server = await getObject(client, key);
  const { phase = 'Pending', lastError, stderrTail = '' } = statusOf('McpServer', server);
  if (specOf('McpServer', server).transport === 'http')
    throw usageError(`the McpServer "${key.name}" is reached over HTTP: it has no logs here`);
  noteState(invocation, server);
  printRecord(
    invocation,
    { server: key.name, phase, last_error: lastError ?? null, stderr: stderrTail },
    {
      name: key.name,
      table: () => (stderrTail === '' ? invocation.note('Its standard error is empty.') : invocation.out(stderrTail.replace(/\n$/, ''))),
    },
  );
}
