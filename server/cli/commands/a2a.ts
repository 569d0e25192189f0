// `svcctl a2a`: the card of an agent with its signature, one message to it, and a test of what it can in each version of the protocol.
import { randomUUID } from 'node:crypto';
import { Option } from '@commander-js/extra-typings';
import { filledText, isObject, objectsIn, type JsonObject } from '@svc/shared/json';
import { createAgentCalls, connect, routeOf } from '../../a2a/client/agent-calls.ts';
import { PROBES, probeDialect, type ProbeResult } from '../../a2a/client/probe.ts';
import type { Dialect } from '../../a2a/model.ts';
import { OUTBOUND, withAgent, type Agent, type AgentOptions } from '../api/a2a-agents.ts';
import type { CommandSetup } from '../program/command-setup.ts';
import { CliError, EXIT, usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { printRecord, RECORD_FORMATS } from '../output/one-record.ts';
import { untilInterrupted } from '../program/until-interrupted.ts';
import { timeLimit } from '../../clock.ts';

const AGENT_HELP = 'an AgentSystem of the server by its name, or a remote agent by its http or https address';
const TOKEN_ENV = ['--token-env <variable>', 'environment variable with the bearer token of a remote agent'] as const;
const KEYS = [
  '--keys <file>',
  'JWK set that the signature of the card is checked with; for the server’s own agents its published keys',
] as const;

export const setupA2a: CommandSetup = (command, run) => {
  command
    .command('card')
    .description('print the card of an agent and check its signature')
    .argument('<agent>', AGENT_HELP)
    .option(...KEYS)
    .option(...TOKEN_ENV)
    .addHelpText('after', '\nExit code 1: the signature is invalid, or its key is not one of the given keys.')
    .action((agent, options) => run((invocation) => card(invocation, agent, options)));
  command
    .command('send')
    .description('send a message to an agent and print its answer as it comes')
    .argument('<agent>', AGENT_HELP)
    .argument('<message>', 'text of the message')
    .option('--context <id>', 'context of an earlier answer, to continue that conversation')
    .option('--data <json>', 'a JSON object that goes with the message')
    .addOption(
      new Option('--protocol-version <version>', 'absent: the best that the card offers').choices(VERSIONS.map(([version]) => version)),
    )
    .option('--timeout <seconds>', 'longest wait for the end of the task', '300')
    .option(...TOKEN_ENV)
    .addHelpText(
      'after',
      '\nCtrl-C cancels the task at the agent.\nExit code 0: the task completed, 1: it ended otherwise, or requires input.',
    )
    .action((agent, message, options) => run((invocation) => send(invocation, { agent, message }, options)));
  command
    .command('test')
    .description('check which operations of an agent work in each version of the protocol')
    .argument('<agent>', AGENT_HELP)
    .option('--message <text>', 'text of the messages that the test sends', 'ping')
    .option('--timeout <seconds>', 'longest wait for one version', '60')
    .option(...KEYS)
    .option(...TOKEN_ENV)
    .addHelpText(
      'after',
      '\nThe test sends up to three messages in each version, which the agent works on.\nExit code 0: a version works in all that its card offers.',
    )
    .action((agent, options) => run((invocation) => test(invocation, agent, options)));
};

// ---------------------------------------------------------------- card

async function card(invocation: Invocation, word: string, options: AgentOptions): Promise<number> {
  invocation.format(RECORD_FORMATS);
  return withAgent(invocation, { word, options }, (agent) => {
    const { card: shown, known, signature, url } = agent;
    if (shown === undefined)
      throw new CliError(`${agent.what} has no card`, { exitCode: EXIT.notFound, hint: 'without a card its address itself is called' });
    const lines = () => invocation.out(...fields(shown, known.source ?? url), `Signature:   ${signatureText(agent)}`);
    printRecord(invocation, { source: known.source, signature, card: shown }, { name: filledText(shown['name']) ?? '', table: lines });
    return Promise.resolve(signature.kind === 'refused' ? EXIT.failed : EXIT.ok);
  });
}

function fields(card: JsonObject, source: string): string[] {
  const interfaces = objectsIn(card['supportedInterfaces']).map(
    ({ url, protocolBinding, protocolVersion }) =>
      `${filledText(protocolBinding) ?? 'JSONRPC'} ${filledText(protocolVersion) ?? ''} ${filledText(url) ?? ''}`,
  );
  const { url, protocolVersion, preferredTransport } = card;
  if (interfaces.length === 0)
    interfaces.push(`${filledText(preferredTransport) ?? 'JSONRPC'} ${filledText(protocolVersion) ?? ''} ${filledText(url) ?? ''}`);
  const can = isObject(card['capabilities']) ? Object.entries(card['capabilities']).filter(([, value]) => value === true) : [];
  const skills = objectsIn(card['skills']).map(({ id, name, description }) => {
    const said = filledText(description);
    return `${filledText(name) ?? filledText(id) ?? ''}${said === undefined ? '' : ` - ${said}`}`;
  });
  return [
    `Name:        ${filledText(card['name']) ?? ''}`,
    `Version:     ${filledText(card['version']) ?? 'none'}`,
    `Description: ${filledText(card['description']) ?? 'none'}`,
    `Card:        ${source}`,
    ...listed('Interfaces:', interfaces),
    `Offers:      ${can.map(([name]) => name).join(', ') || 'nothing beyond messages'}`,
    ...listed('Skills:', skills),
  ];
}

const listed = (title: string, items: readonly string[]): string[] =>
  (items.length === 0 ? ['none'] : items).map((item, index) => `${(index === 0 ? title : '').padEnd(13)}${item}`);

function signatureText({ signature, card: shown }: Agent): string {
  switch (signature.kind) {
    case 'verified':
      return `verified, key ${signature.kid}`;
    case 'refused':
      return `NOT VALID: the card ${signature.problem.replace('--a2a-trusted-card-keys does', 'the keys given do')}`;
    case 'unsigned':
      return 'none';
    case 'unchecked':
      return objectsIn(shown?.['signatures']).length > 0 ? 'present, not checked; --keys names the keys to check it with' : 'none';
  }
}

// ---------------------------------------------------------------- send

interface SendOptions extends AgentOptions {
  readonly context?: string | undefined;
  readonly data?: string | undefined;
  readonly protocolVersion?: string | undefined;
  readonly timeout: string;
}

async function send(
  invocation: Invocation,
  { agent: word, message }: { agent: string; message: string },
  options: SendOptions,
): Promise<number> {
  const format = invocation.format(RECORD_FORMATS);
  const data = readData(options.data);
  const timeoutMs = secondsOf(options.timeout);
  return withAgent(invocation, { word, options }, async (agent, egress) => {
    const directory = { find: () => Promise.resolve(agent.known), learn: () => undefined };
    const calls = createAgentCalls({ ...OUTBOUND, egress, directory });
    const printer = new AnswerPrinter(invocation, format === 'table');
    let code: number = EXIT.failed;
    const interrupted = await untilInterrupted(invocation.terminal, async (interrupt) => {
      const outcome = await calls.call({
        ...{ what: agent.what, url: agent.url, credentials: agent.credentials, id: randomUUID() },
        ...{ protocolVersion: options.protocolVersion, preferStreaming: true },
        signal: AbortSignal.any([interrupt, timeLimit(timeoutMs)]),
        message: {
          parts: [{ kind: 'text', text: message }, ...(data === undefined ? [] : [{ kind: 'data', data } as const])],
          ...(options.context !== undefined && { contextId: options.context }),
        },
        onProgress: (progress) => printer.progress(progress),
        onText: (piece, append) => printer.piece(piece, append),
      });
      code = outcome.state === 'completed' ? EXIT.ok : EXIT.failed;
      printRecord(invocation, outcome, { name: outcome.taskId ?? '', table: () => printer.end(outcome) });
    })
      .catch((error: unknown) => {
        if (error instanceof Error && error.name === 'TimeoutError')
          throw new CliError(`${agent.what} did not end its task in ${options.timeout} s`, { exitCode: EXIT.timedOut });
        throw error;
      })
      .finally(() => calls.close());
    return interrupted ? EXIT.interrupted : code;
  });
}

function readData(value: string | undefined): JsonObject | undefined {
  if (value === undefined) return undefined;
  try {
    const data: unknown = JSON.parse(value);
    if (isObject(data)) return data as JsonObject;
  } catch {
    // Printed below.
  }
  throw usageError('--data must be a JSON object', `such as '{"berth":7}'`);
}

function secondsOf(value: string): number {
  const seconds = Number(value);
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= 86_400) return seconds * 1_000;
  throw usageError('--timeout must be a number of seconds from 1 to 86400');
}

type Outcome = Awaited<ReturnType<ReturnType<typeof createAgentCalls>['call']>>;

/** The answer on stdout as it comes; states and ids on stderr. */
class AnswerPrinter {
  readonly #invocation: Invocation;
  readonly #streams: boolean;
  #printed = '';

  constructor(invocation: Invocation, streams: boolean) {
    this.#invocation = invocation;
    this.#streams = streams;
  }

  progress(text: string): void {
    this.#invocation.note(this.#invocation.errorStyle.dim(text));
  }

  piece(text: string, append: boolean): void {
    if (!this.#streams) return;
    const { stdout } = this.#invocation.terminal;
    if (!append && this.#printed !== '') stdout.write('\n');
    stdout.write(text);
    this.#printed = append ? this.#printed + text : text;
  }

  end({ state, says, parts, taskId, contextId }: Outcome): void {
    const answer = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
    if (this.#printed !== '') this.#invocation.out('');
    else if (answer !== '') this.#invocation.out(answer);
    for (const part of parts)
      if (part.kind !== 'text') this.#invocation.out(JSON.stringify(part.kind === 'data' ? part.data : fileLine(part)));
    const { warn, dim } = this.#invocation.errorStyle;
    if (state !== 'completed') this.#invocation.note(warn(`${state}${says === '' || says === answer ? '' : `: ${says}`}`));
    const ids = [...(taskId === undefined ? [] : [`task ${taskId}`]), ...(contextId === undefined ? [] : [`context ${contextId}`])];
    if (ids.length > 0) this.#invocation.note(dim(ids.join(', ')));
  }
}

function fileLine({ name, mediaType, bytes, uri }: Extract<Outcome['parts'][number], { kind: 'file' }>) {
  return { file: { name, mediaType, ...(bytes === undefined ? { uri } : { base64Characters: bytes.length }) } };
}

// ---------------------------------------------------------------- test

interface TestOptions extends AgentOptions {
  readonly message: string;
  readonly timeout: string;
}

const VERSIONS: readonly (readonly [version: string, dialect: Dialect])[] = [
  ['1.0', 'v1'],
  ['0.3', 'v03'],
  ['spec', 'spec'],
];

interface VersionReport {
  readonly version: string;
  /** The card names it, or there is no card. */
  readonly offered: boolean;
  readonly results: readonly ProbeResult[];
}

async function test(invocation: Invocation, word: string, options: TestOptions): Promise<number> {
  invocation.format(RECORD_FORMATS);
  const timeoutMs = secondsOf(options.timeout);
  return withAgent(invocation, { word, options }, async (agent, egress) => {
    const reports: VersionReport[] = [];
    for (const [version, dialect] of VERSIONS)
      reports.push(await reportOf(agent, { version, dialect, egress, message: options.message, timeoutMs }));
    const { known, signature } = agent;
    const record = { agent: agent.url, card: known.source ?? null, signature: signature.kind, versions: reports };
    printRecord(invocation, record, { name: agent.url, table: () => printReports(invocation, agent, reports) });
    return reports.some((report) => report.results[0]?.outcome === 'works' && hasPassed(report)) ? EXIT.ok : EXIT.failed;
  });
}

interface Probing {
  readonly version: string;
  readonly dialect: Dialect;
  readonly egress: Parameters<typeof connect>[0]['egress'];
  readonly message: string;
  readonly timeoutMs: number;
}

async function reportOf(agent: Agent, { version, dialect, egress, message, timeoutMs }: Probing): Promise<VersionReport> {
  const { known } = agent;
  const best = routeOf(known, { ...agent, protocolVersion: undefined });
  const route = routeOf(known, { ...agent, protocolVersion: version });
  const connection = connect({ ...OUTBOUND, egress }, agent, { route, dialect });
  const offered = known.card === undefined || best.dialects.includes(dialect) || interfacesName(known.card, version);
  const results: ProbeResult[] = [];
  const signal = timeLimit(timeoutMs);
  for await (const result of probeDialect({ connection, message, streaming: known.card === undefined || route.streaming, signal }))
    results.push(result);
  return { version, offered, results };
}

const interfacesName = (card: JsonObject, version: string): boolean =>
  objectsIn(card['supportedInterfaces']).some(({ protocolVersion }) => filledText(protocolVersion)?.startsWith(version) === true);

const hasPassed = ({ results }: VersionReport): boolean => results.every(({ outcome }) => outcome !== 'fails');

function printReports(invocation: Invocation, agent: Agent, reports: readonly VersionReport[]): void {
  const { style } = invocation;
  invocation.out(`Agent:       ${agent.url}`, `Card:        ${agent.known.source ?? 'none: the address itself is called'}`);
  if (agent.card !== undefined) invocation.out(`Signature:   ${signatureText(agent)}`);
  for (const { version, offered, results } of reports) {
    invocation.out('', `${version}${offered ? '' : ' (the card does not name it)'}`);
    const paint = { works: style.good, fails: style.bad, skipped: style.dim };
    const rows = PROBES.flatMap((probe) => results.filter((result) => result.probe === probe));
    invocation.out(...rows.map(({ probe, outcome, detail }) => `  ${probe.padEnd(15)} ${paint[outcome](outcome.padEnd(8))} ${detail}`));
  }
}
