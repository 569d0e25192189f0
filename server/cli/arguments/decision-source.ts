// Where svcctl takes decision records from: a server, page by page, or a file that was exported; and the key they are checked with.
import type { DecisionHead, DecisionPublicKey, SignedDecision } from '@svc/shared/decision-record';
import { describeKey } from '@svc/shared/resource';
import { readPublicKey, type VerifyingKey } from '../../decisions/decision-crypto.ts';
import { approvalDefinitions, approvalStatus } from '../api/approval-objects.ts';
import { ApiError, type ApiClient } from '../api/client.ts';
import { CliError, EXIT } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { listObjects } from '../api/resource-api.ts';
import { readGivenText, type Terminal } from '../program/terminal.ts';

const PAGE_SIZE = 500;

export interface DecisionFilter {
  readonly namespace?: string;
  readonly task?: string | undefined;
  readonly approval?: string | undefined;
  readonly type?: string | undefined;
}

interface PageBody {
  readonly items: readonly SignedDecision[];
  readonly continue?: string;
}

/** Every match in the order of the numbers; at most `max` of them when given. */
export async function* decisionPages(
  client: ApiClient,
  filter: DecisionFilter,
  max = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly SignedDecision[]> {
  let left = max;
  for (let after: string | undefined = '0'; after !== undefined && left > 0;) {
    const query = { ...filter, after, limit: Math.min(PAGE_SIZE, left) };
    const page: PageBody = (await client.send<PageBody>({ method: 'GET', path: '/v1/decisions', query })).body;
    yield page.items;
    left -= page.items.length;
    after = page.continue;
  }
}

/** The records of a file: one JSON array, or one record a line. `-` is standard input. Throws when a line is not JSON. */
export async function decisionsOfFile(terminal: Terminal, file: string): Promise<readonly unknown[]> {
  const text = await readGivenText(terminal, file);
  if (text.trimStart().startsWith('[')) return parse(text, file) as unknown[];
  const lines = text.split('\n').map((line, index) => ({ line, place: `${file}:${index + 1}` }));
  return lines.filter(({ line }) => line.trim() !== '').map(({ line, place }) => parse(line, place));
}

function parse(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CliError(`${place} is not JSON: what was exported is cut or was changed`, {
      hint: (svcctl) => `a file is one JSON array or one record a line, as "${svcctl} decisions export" writes it`,
      cause,
    });
  }
}

export interface KnownKey extends VerifyingKey {
  /** Source of the records, for messages. */
  readonly origin: string;
}

export async function serverKey(client: ApiClient): Promise<DecisionPublicKey> {
  return (await client.send<DecisionPublicKey>({ method: 'GET', path: '/v1/decisions/key' })).body;
}

/** Where the records of a server have to end. */
export interface ServerEnd extends DecisionHead {
  /** The approval that refers to the newest record of all. */
  readonly newestReference: { readonly approval: string; readonly seq: number } | undefined;
}

/** To be read before the records: what is decided meanwhile only adds to them. Undefined for a server of a version without it. */
export async function serverEnd(client: ApiClient): Promise<ServerEnd | undefined> {
  const newestReference = await newestReferenceOf(client);
  try {
    const head = (await client.send<DecisionHead>({ method: 'GET', path: '/v1/decisions/head' })).body;
    return { ...head, newestReference };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

async function newestReferenceOf(client: ApiClient): Promise<ServerEnd['newestReference']> {
  let newest: ServerEnd['newestReference'];
  for (const kind of approvalDefinitions()) {
    for await (const page of listObjects(client, kind, { namespace: '*' })) {
      const found = page.map((approval) => ({
        approval: describeKey({ kind: kind.kind, ...approval.metadata }),
        seq: approvalStatus(approval).decision_record ?? 0,
      }));
      newest = found.reduce((best, each) => (each.seq > (best?.seq ?? 0) ? each : best), newest);
    }
  }
  return newest;
}

/** The key of the file, or the server's. */
export async function verifyingKey(invocation: Invocation, file: string | undefined): Promise<KnownKey> {
  if (file !== undefined) return { ...keyOf(await readGivenText(invocation.terminal, file), file), origin: `from ${file}` };
  const { client } = await invocation.connect();
  return { ...keyOf((await serverKey(client)).public_key_pem, client.server), origin: `of the server ${client.server}` };
}

function keyOf(pem: string, place: string): VerifyingKey {
  try {
    return readPublicKey(pem);
  } catch (cause) {
    throw new CliError(`${place} holds no public key for signatures of decisions: ${(cause as Error).message}`, {
      exitCode: EXIT.usage,
      hint: (svcctl) => `save the server's with "${svcctl} decisions key > decision-key.pem"`,
      cause,
    });
  }
}
