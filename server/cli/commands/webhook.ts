// `svcctl webhook`: sends signed test deliveries, lists deliveries and sends one again. Secrets are read from a file or standard input, never from
// arguments, and stay here: the server receives the signature.
import { randomUUID } from 'node:crypto';
import type { DeliveryRecord, DeliveryReply } from '@svc/shared/api/webhooks';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import { taskWebhook } from '@svc/shared/kinds/task-webhook/index';
import { signedHeaders } from '@svc/shared/kinds/task-webhook/signing';
import { ApiError } from '../api/client.ts';
import { collect, type CommandSetup } from '../program/command-setup.ts';
import { CliError, EXIT, usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { handleFromWord } from '../arguments/named-argument.ts';
import { taskWord } from '../arguments/kind-arguments.ts';
import { listPrinter } from '../output/list-printer.ts';
import { printRecord, RECORD_FORMATS } from '../output/one-record.ts';
import { cellText } from '../output/resources.ts';
import { age } from '../output/time.ts';
import { getObject, nameSegment, sendAbout, type ObjectHandle } from '../api/resource-api.ts';
import { readGiven, type Terminal } from '../program/terminal.ts';

const WEBHOOK_HELP = 'name of the webhook';
const TEST_BODY = '{"test":true}';

interface SendOptions {
  readonly secretFile?: string | undefined;
  readonly data?: string | undefined;
  readonly dataFile?: string | undefined;
  readonly eventId?: string | undefined;
  readonly header?: readonly string[] | undefined;
}

export const setupWebhook: CommandSetup = (command, run) => {
  command
    .command('send')
    .description('sign a test delivery as the webhook expects it and send it')
    .argument('<webhook>', WEBHOOK_HELP)
    .option('--secret-file <path>', 'the secret; without it, or with "-", standard input')
    .option('--data <text>', `the body (default: ${TEST_BODY})`)
    .option('--data-file <path>', 'the body from a file, byte by byte, or from standard input for -')
    .option('--event-id <id>', 'default: the id in --data or --data-file where the webhook reads it there, else a new one')
    .option('--header <name=value>', 'a further header; may be repeated', collect)
    .addHelpText('after', '\nThe secret stays here: the server receives the signature.\nOne line end behind it is left out.')
    .action((word, options) => run((invocation) => send(invocation, word, options)));
  command
    .command('deliveries')
    .description('list the newest deliveries of a webhook, newest first')
    .argument('<webhook>', WEBHOOK_HELP)
    .option('--no-headers', 'print the table without its titles')
    .action((word) => run((invocation) => deliveries(invocation, word)));
  command
    .command('redeliver')
    .description('start another run from a delivery')
    .argument('<webhook>', WEBHOOK_HELP)
    .argument('<id>', 'id of the delivery, from "deliveries"')
    .action((word, id) => run((invocation) => redeliver(invocation, word, id)));
};

const handleOf = (invocation: Invocation, word: string): Promise<ObjectHandle> => handleFromWord(invocation, taskWebhook, word);

async function send(invocation: Invocation, word: string, options: SendOptions): Promise<void> {
  invocation.format(RECORD_FORMATS);
  const { secret, body } = await readInput(invocation.terminal, options);
  const further = headersOf(options.header ?? []);
  const { client, key } = await handleOf(invocation, word);
  const webhook = await getObject(client, key);
  const spec = specOf('TaskWebhook', webhook);
  const path = `/v1/webhook-deliveries/${nameSegment(statusOf('TaskWebhook', webhook).endpointID ?? '')}`;
  const bodyHasId = spec.idempotency.event_id_from_body !== undefined && body !== undefined;
  const eventId = options.eventId ?? (bodyHasId ? undefined : randomUUID());
  const content = body ?? new TextEncoder().encode(TEST_BODY);
  const signed = await signedHeaders({ spec, secret, body: content, eventId, now: Date.now() }).catch((error: unknown) => {
    throw usageError((error as Error).message);
  });
  const text = { content, type: 'application/json' };
  const headers = { ...further, ...signed };
  const { body: reply } = await client.send<DeliveryReply>({ method: 'POST', path, text, headers }).catch(withReasons(key.name));
  const outcome = reply.duplicate ? 'duplicate' : 'accepted';
  const run = reply.task === null ? 'no run' : taskWord(reply.task);
  printRecord(invocation, reply, {
    name: run,
    table: () => invocation.out(`${outcome}: event ${cellText(reply.event_id)}, ${run}`),
  });
}

/** Answers to deliveries say little, since anybody may send one; the list says why. */
function withReasons(name: string) {
  return (error: unknown): never => {
    if (!(error instanceof ApiError) || ![400, 401].includes(error.status)) throw error;
    const hint = (svcctl: string) => `the reason is listed by "${svcctl} webhook deliveries ${name}" after a second`;
    throw new CliError(error.message, { exitCode: EXIT.failed, hint, cause: error });
  };
}

type Bytes = Uint8Array<ArrayBuffer>;

async function readInput(terminal: Terminal, options: SendOptions): Promise<{ readonly secret: Bytes; readonly body: Bytes | undefined }> {
  const { secretFile = '-', data, dataFile } = options;
  if (data !== undefined && dataFile !== undefined) throw usageError('give one of --data and --data-file');
  if (secretFile === '-' && dataFile === '-')
    throw usageError('only one of the secret and the body can come from standard input', 'name the file of the secret with --secret-file');
  if (secretFile === '-' && terminal.stdin.isTTY)
    throw usageError('the secret is missing', 'name its file with --secret-file, or pipe it to standard input');
  const secret = withoutLineEnd(new Uint8Array(await readGiven(terminal, secretFile)));
  if (secret.length === 0) throw usageError('the secret is empty');
  if (dataFile !== undefined) return { secret, body: new Uint8Array(await readGiven(terminal, dataFile)) };
  return { secret, body: data === undefined ? undefined : new TextEncoder().encode(data) };
}

function withoutLineEnd(bytes: Bytes): Bytes {
  const [last, before] = [bytes.at(-1), bytes.at(-2)];
  if (last !== 0x0a) return bytes;
  return bytes.slice(0, before === 0x0d ? -2 : -1);
}

/** Names are tokens and values printable ASCII; anything else would be another request. */
function headersOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)=([ -~]*)$/.exec(pair) ?? [];
      if (name === undefined || value === undefined) throw usageError(`--header "${pair}" is not NAME=VALUE of a header`);
      return [name, value];
    }),
  );
}

async function deliveries(invocation: Invocation, word: string): Promise<void> {
  const print = listPrinter<DeliveryRecord>(invocation, {
    columns: [
      { title: 'ID', cell: ({ id }) => id },
      { title: 'OUTCOME', cell: ({ outcome }) => outcome },
      { title: 'AGE', cell: ({ time }) => age(time, Date.now()) },
      { title: 'EVENT', cell: (each) => cellText(each.event_id) },
      { title: 'TASK', cell: ({ task }) => cellText(task) },
      { title: 'REASON', cell: ({ reason }) => cellText(reason) },
      { title: 'TIME', cell: ({ time }) => time, wide: true },
    ],
    drop: ['EVENT', 'TASK', 'REASON'],
    empty: 'No deliveries.',
  });
  const { client, key } = await handleOf(invocation, word);
  print((await sendAbout<{ readonly items: readonly DeliveryRecord[] }>(client, key, { method: 'GET', below: 'deliveries' })).items);
}

async function redeliver(invocation: Invocation, word: string, id: string): Promise<void> {
  invocation.format(RECORD_FORMATS);
  const { client, key } = await handleOf(invocation, word);
  const request = { method: 'POST', below: `deliveries/${nameSegment(id)}/redeliver` } as const;
  const body = await sendAbout<{ readonly task: string }>(client, key, request);
  printRecord(invocation, body, { name: taskWord(body.task), table: () => invocation.out(`${taskWord(body.task)} created`) });
}
