// `svcctl decisions`: the signed records of what people decided: list, show, export, and check that none was changed.
import { Option } from '@commander-js/extra-typings';
import {
  CHAIN_START,
  checkNext,
  DECISION_TYPES,
  isBroken,
  type BrokenDecision,
  type ChainHead,
  type SignedDecision,
} from '@svc/shared/decision-record';
import { decisionCrypto } from '../../decisions/decision-crypto.ts';
import { wholeNumber, type CommandSetup } from '../program/command-setup.ts';
import {
  decisionPages,
  decisionsOfFile,
  serverEnd,
  serverKey,
  verifyingKey,
  type KnownKey,
  type ServerEnd,
} from '../arguments/decision-source.ts';
import { EXIT, usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { yamlText } from '../output/data-text.ts';
import { DECISION_DROPS, DECISION_HEADER, decisionLines, decisionRow } from '../output/decision-view.ts';

const parseCount = wholeNumber(/^[1-9]\d{0,15}$/, ' of at least 1');

interface ListOptions {
  readonly task?: string | undefined;
  readonly approval?: string | undefined;
  readonly type?: string | undefined;
  readonly limit?: number | undefined;
}

interface VerifyOptions {
  readonly file?: string | undefined;
  readonly publicKey?: string | undefined;
  readonly head?: string | undefined;
}

export const setupDecisions: CommandSetup = (command, run) => {
  command
    .command('list')
    .description('list decision records, oldest first; -o json prints them whole')
    .option('--task <name>', 'only decisions for this task, NAME or NAMESPACE/NAME')
    .option('--approval <name>', 'only decisions on this approval, NAME or NAMESPACE/NAME')
    .addOption(new Option('--type <type>', 'only decisions of this type').choices(DECISION_TYPES))
    .option('--limit <count>', 'at most this many records', parseCount)
    .action((options) => run((invocation) => list(invocation, options)));
  command
    .command('show')
    .description('show a decision record in full')
    .argument('<seq>', 'number of the record', parseCount)
    .action((seq) => run((invocation) => show(invocation, seq)));
  command
    .command('export')
    .description('print every record, one JSON line each, to keep and to verify later')
    .action(() => run(exportAll));
  command
    .command('key')
    .description('print the public key that records are verified with, as PEM')
    .action(() => run(printKey));
  command
    .command('verify')
    .description('check that no record was changed, left out or put in; exit code 1 when one was')
    .option('-f, --file <file>', 'check exported records instead of the server\'s; "-" reads standard input')
    .option('--public-key <file>', "PEM of the key to check with; default: the server's own")
    .option('--head <hash>', 'hash of a record that must exist, from an earlier check: detects that the newest records were cut off')
    .addHelpText('after', '\nWith -f and --public-key no server is contacted.\nDo not keep the key on the server that signs.')
    .action((options) => run((invocation) => verify(invocation, options)));
};

async function list(invocation: Invocation, options: ListOptions): Promise<void> {
  const { client, namespace } = await invocation.connect();
  const format = invocation.format(['table', 'wide', 'json', 'yaml', 'name']);
  const { limit, ...filter } = options;
  const records: SignedDecision[] = [];
  for await (const page of decisionPages(client, { ...filter, namespace }, limit)) records.push(...page);
  if (format === 'json') return invocation.out(JSON.stringify(records, null, 2));
  if (format === 'yaml') return invocation.out(yamlText(records));
  if (format === 'name') return invocation.list(records.map(({ seq }) => String(seq)));
  if (records.length === 0) return invocation.note('No decision records match.');
  invocation.table(DECISION_HEADER, records.map(decisionRow), { wide: format === 'wide', drop: DECISION_DROPS });
}

async function show(invocation: Invocation, seq: number): Promise<void> {
  const { client } = await invocation.connect();
  const format = invocation.format(['table', 'json', 'yaml']);
  const record = (await client.send<SignedDecision>({ method: 'GET', path: `/v1/decisions/${seq}` })).body;
  if (format === 'json') return invocation.out(JSON.stringify(record, null, 2));
  if (format === 'yaml') return invocation.out(yamlText(record));
  invocation.out(...decisionLines(record));
}

async function exportAll(invocation: Invocation): Promise<void> {
  const { client } = await invocation.connect();
  for await (const page of decisionPages(client, {})) invocation.out(...page.map((record) => JSON.stringify(record)));
}

async function printKey(invocation: Invocation): Promise<void> {
  const { client } = await invocation.connect();
  const format = invocation.format(['table', 'json']);
  const key = await serverKey(client);
  invocation.out(format === 'json' ? JSON.stringify(key, null, 2) : key.public_key_pem.trimEnd());
}

interface Verdict {
  readonly head: ChainHead;
  readonly broken?: BrokenDecision;
  /** Records that had to be there are not, or the server found tampering: in one sentence. */
  readonly missing?: string;
  /** Whether the server proved, with its encryption key, that the newest record is the end. */
  readonly endProven: boolean;
}

async function verify(invocation: Invocation, options: VerifyOptions): Promise<number> {
  if (options.head !== undefined && !/^sha256:[0-9a-f]{64}$/.test(options.head))
    throw usageError('--head must be the hash of a record', 'such as the one that an earlier verify printed');
  const format = invocation.format(['table', 'json']);
  const end = options.file === undefined ? await serverEnd((await invocation.connect()).client) : undefined;
  const key = await verifyingKey(invocation, options.publicKey);
  const verdict = await walk(await recordsOf(invocation, options.file), key, { wanted: options.head, end });
  if (format === 'json') invocation.out(JSON.stringify(verdictBody(verdict, key), null, 2));
  else report(invocation, verdict, key);
  return verdict.broken || verdict.missing ? EXIT.failed : EXIT.ok;
}

async function recordsOf(invocation: Invocation, file: string | undefined): Promise<AsyncIterable<readonly unknown[]>> {
  if (file === undefined) return decisionPages((await invocation.connect()).client, {});
  const records = await decisionsOfFile(invocation.terminal, file);
  return (async function* () {
    yield records;
  })();
}

interface ExpectedEnd {
  /** The hash that `--head` gives. */
  readonly wanted: string | undefined;
  readonly end: ServerEnd | undefined;
}

async function walk(pages: AsyncIterable<readonly unknown[]>, key: KnownKey, { wanted, end }: ExpectedEnd): Promise<Verdict> {
  const crypto = decisionCrypto(key);
  const endProven = end?.authenticated === true && end.fault === undefined;
  const seen = { wanted: wanted === undefined, end: end === undefined || end.seq === 0 };
  let head = CHAIN_START;
  for await (const page of pages) {
    for (const record of page) {
      const next = await checkNext(head, record, crypto);
      if (isBroken(next)) return { head, broken: next, endProven };
      head = next;
      seen.wanted ||= head.hash === wanted;
      seen.end ||= head.seq === end?.seq && head.hash === end.hash;
    }
  }
  const missing = missingRecords(head, end, seen);
  return { head, endProven, ...(missing && { missing }) };
}

function missingRecords(head: ChainHead, ...[end, seen]: [ServerEnd | undefined, { wanted: boolean; end: boolean }]): string | undefined {
  const reference = end?.newestReference;
  if (!seen.end) return `the server notes record ${end?.seq} as its newest, and it is not there: the newest records were cut off`;
  if (reference && reference.seq > head.seq)
    return `${reference.approval} was decided by record ${reference.seq}, which is not there: the newest records were cut off`;
  return seen.wanted ? end?.fault : CUT;
}

function verdictBody({ head, broken, missing, endProven }: Verdict, key: KnownKey): object {
  const fault = broken ?? (missing && { fault: 'cut', message: missing });
  return {
    valid: !fault,
    records: head.seq,
    head: head.seq > 0 ? head.hash : null,
    end_proven: endProven,
    key_id: key.keyId,
    key: key.origin,
    ...(fault && { broken: fault }),
  };
}

const CUT = 'the record that --head names is not there: the newest records were cut off, or this is another log';
function report(invocation: Invocation, { head, broken, missing }: Verdict, key: KnownKey): void {
  const { bad } = invocation.errorStyle;
  invocation.note(`Checked with key ${key.keyId} ${key.origin}.`);
  const whole = head.seq === 0 ? 'No records' : `Records 1 to ${head.seq} are whole; the newest has hash ${head.hash}`;
  if (broken)
    return invocation.note(
      `${bad('error:')} ${broken.message}`,
      head.seq === 0 ? 'No record comes before it.' : `Records 1 to ${head.seq} are whole.`,
    );
  if (missing) return invocation.note(`${bad('error:')} ${missing}`, `${whole}.`);
  invocation.out(invocation.style.good(`${whole}.`));
}
