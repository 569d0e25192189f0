// Agents of `svcctl a2a`: an agent system of the server by its name, or a remote agent by its address, with card, signature and credentials.
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, type Json, type JsonObject } from '@svc/shared/json';
import { secretsOf } from '../../a2a/client/exchange.ts';
import { createAgentDirectory, type KnownAgent } from '../../a2a/client/directory.ts';
import { checkCard, readTrustedKeys, type CardVerdict, type TrustedKeys } from '../../a2a/cards/card-check.ts';
import { timeLimit, type Clock } from '../../clock.ts';
import { createEgress } from '../../egress/create-egress.ts';
import { redact } from '../../egress/redact.ts';
import { CallError } from '../../engine/ports.ts';
import { ApiError, type ApiClient } from './client.ts';
import { createProxies } from './proxy.ts';
import { CliError, EXIT, usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { readGiven } from '../program/terminal.ts';

export interface AgentOptions {
  /** File of a JWK set. */
  readonly keys?: string | undefined;
  /** Variable that holds the bearer token of a remote agent. */
  readonly tokenEnv?: string | undefined;
}

export interface Agent {
  /** Names the agent in messages. */
  readonly what: string;
  /** Address that its calls go to unless the card names another. */
  readonly url: string;
  readonly credentials: Readonly<Record<string, string>>;
  /** The card as its server writes it. */
  readonly card: JsonObject | undefined;
  /** For calls. */
  readonly known: KnownAgent;
  readonly signature: CardVerdict | { readonly kind: 'unchecked' };
}

/** Its sleeps keep the process alive, unlike those of the system clock: nothing else may be left here. */
const clock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    sleep(ms, undefined, { signal }).catch((error: unknown) => {
      throw signal?.aborted ? signal.reason : error;
    }),
};

/** A person calls from this machine, whose network is theirs. */
export const OUTBOUND = { clock, allowPrivate: true, permittedBy: 'svcctl' } as const;

const isAddress = (word: string): boolean => /^https?:\/\//i.test(word);

/** Runs `use` with the agent of a name or an address, and a way out that is closed behind it. */
export async function withAgent<Result>(
  invocation: Invocation,
  { word, options }: { readonly word: string; readonly options: AgentOptions },
  use: (agent: Agent, egress: ReturnType<typeof createEgress>) => Promise<Result>,
): Promise<Result> {
  // Calls of agents have deadlines of their own.
  const proxies = createProxies(invocation.terminal.env, { headersTimeoutMs: 0 });
  const egress = createEgress({ proxyOf: ({ url, credentials }) => proxies.dispatcherTo(url, Object.keys(credentials).length > 0) });
  let secrets: readonly string[] = [];
  try {
    const agent = await (isAddress(word) ? remoteAgent(invocation, egress, { word, options }) : localAgent(invocation, word, options));
    secrets = secretsOf(agent.credentials);
    return await use(agent, egress);
  } catch (error) {
    throw error instanceof CallError ? cliError(error, secrets) : error;
  } finally {
    await Promise.all([egress.close(), proxies.close()]);
  }
}

const UNREACHABLE: ReadonlySet<string | undefined> = new Set(['connection_refused', 'host_not_found', 'unreachable', 'connect_timeout']);

/** Its message may quote the agent. */
function cliError({ code, reason, message, cause }: CallError, secrets: readonly string[]): CliError {
  if (cause instanceof CliError) return cause;
  const denied = code === 'auth_invalid' || code === 'auth_forbidden';
  const exitCode = denied ? EXIT.denied : UNREACHABLE.has(reason) || code === 'timeout' ? EXIT.unreachable : EXIT.failed;
  const hint = denied ? 'name the variable that holds the token of the agent with --token-env' : undefined;
  return new CliError(redact(message, secrets), { exitCode, hint });
}

async function remoteAgent(
  invocation: Invocation,
  egress: ReturnType<typeof createEgress>,
  { word, options }: { readonly word: string; readonly options: AgentOptions },
): Promise<Agent> {
  if (!URL.canParse(word)) throw usageError(`"${word}" is not a URL`);
  const what = `the agent at ${word}`;
  const credentials = bearer(tokenOf(invocation, options.tokenEnv));
  const directory = createAgentDirectory({ ...OUTBOUND, egress, trustedKeys: undefined, requireSigned: false });
  const known = await directory.find({ url: word, credentials, signal: timeLimit(15_000), what });
  return {
    what,
    url: word,
    credentials,
    card: known.card,
    known,
    signature: signatureOf(known.card, await keysOf(invocation, options.keys)),
  };
}

async function localAgent(invocation: Invocation, name: string, options: AgentOptions): Promise<Agent> {
  if (options.tokenEnv !== undefined) throw usageError('--token-env is for agents by their address; the server gets the token of svcctl');
  const { client, namespace, token } = await invocation.connect();
  const place = `/v1/agent-systems/${encodeURIComponent(name)}`;
  const path = `${place}/.well-known/agent-card.json`;
  const { body: card } = await client.send<JsonObject>({ method: 'GET', path, query: { namespace } }).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    throw new CliError(`there is no agent system "${name}" in namespace ${namespace} that is open to A2A`, {
      exitCode: EXIT.notFound,
      hint: (svcctl) => `list the systems with "${svcctl} get agent-systems", and open one with spec.a2a.enabled`,
      cause: error,
    });
  });
  const url = `${client.server}${place}/a2a?namespace=${encodeURIComponent(namespace)}`;
  const trusted = (await keysOf(invocation, options.keys)) ?? (await ownKeys(client));
  const source = `${client.server}${path}`;
  const known: KnownAgent = { card: reachable(card, url), source, signature: 'unchecked' };
  return { what: `the agent system "${name}"`, url, credentials: bearer(token?.value), card, known, signature: signatureOf(card, trusted) };
}

/** The card with the address by which svcctl reaches the server, which --public-url may differ from. */
function reachable(card: JsonObject, url: string): JsonObject {
  const { supportedInterfaces: listed } = card;
  const interfaces = Array.isArray(listed)
    ? (listed as readonly Json[]).map((each) => (isObject(each) ? { ...each, url } : each))
    : undefined;
  return { ...card, ...(card['url'] !== undefined && { url }), ...(interfaces && { supportedInterfaces: interfaces }) };
}

const bearer = (token: string | undefined): Readonly<Record<string, string>> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

function tokenOf({ terminal }: Invocation, variable: string | undefined): string | undefined {
  if (variable === undefined) return undefined;
  const token = terminal.env[variable]?.trim();
  if (token) return token;
  throw usageError(`the variable ${variable} of --token-env is not set`);
}

async function keysOf({ terminal }: Invocation, file: string | undefined): Promise<TrustedKeys | undefined> {
  if (file === undefined) return undefined;
  const bytes = await readGiven(terminal, file);
  try {
    return readTrustedKeys(bytes.toString('utf8'));
  } catch (error) {
    throw usageError(`the keys of --keys, ${file}, cannot be used: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Keys that the server publishes; undefined when it signs no cards. */
async function ownKeys(client: ApiClient): Promise<TrustedKeys | undefined> {
  try {
    const { body } = await client.send<JsonObject>({ method: 'GET', path: '/.well-known/jwks.json' });
    return readTrustedKeys(JSON.stringify(body));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    if (error instanceof ApiError || error instanceof CliError || !(error instanceof Error)) throw error;
    throw new CliError(`the keys that the server publishes cannot be used: ${error.message}`);
  }
}

const signatureOf = (card: JsonObject | undefined, keys: TrustedKeys | undefined): Agent['signature'] =>
  card !== undefined && keys ? checkCard(card, keys) : { kind: 'unchecked' };
