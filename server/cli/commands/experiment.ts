// `svcctl experiment`: runs cases with several versions of definitions, shows metrics and results, rates, cancels, exports.
import { endedWithoutSuccess, type ExperimentEstimate, type ExperimentResult, type Rating, type Thumb } from '@svc/shared/api/experiments';
import { experimentCsvHead, experimentCsvLine } from '@svc/shared/experiment-csv';
import { isObject } from '@svc/shared/json';
import { EXPERIMENT_RUNS_UNCONFIRMED_MAX } from '@svc/shared/kinds/experiment/limits';
import { experiment as kind } from '@svc/shared/kinds/experiment/index';
import type { ExperimentStatus } from '@svc/shared/kinds/experiment/schema';
import { statusOf } from '@svc/shared/kinds/read';
import type { Resource } from '@svc/shared/resource';
import { readDocuments } from '../manifests/apply-manifests.ts';
import type { ApiClient } from '../api/client.ts';
import type { CommandSetup } from '../program/command-setup.ts';
import { CliError, usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { objectWord } from '../arguments/kind-arguments.ts';
import { handleFromWord } from '../arguments/named-argument.ts';
import { LIST_FORMATS, listPrinter } from '../output/list-printer.ts';
import { printRecord, RECORD_FORMATS } from '../output/one-record.ts';
import { cellText } from '../output/resources.ts';
import { elapsed } from '../output/time.ts';
import { requireYes } from '../arguments/require-yes.ts';
import { createObject, getObject, postAction, sendAbout, type ObjectHandle, type ObjectKey } from '../api/resource-api.ts';
import { timeoutOption, waitForAll } from '../api/wait-for.ts';

const NAME_HELP = 'name of the experiment';
const PAGE = 200;
const THUMB_WORDS: Readonly<Record<string, Thumb | null>> = { up: 'up', down: 'down', none: null };

interface RunOptions {
  readonly filename: string;
  readonly name?: string | undefined;
  readonly yes?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  readonly wait?: boolean | undefined;
  readonly timeout: number;
}

interface ResultOptions {
  readonly case?: string | undefined;
  readonly variant?: string | undefined;
  readonly failed?: boolean | undefined;
  readonly down?: boolean | undefined;
}

export const setupExperiment: CommandSetup = (command, run) => {
  command
    .command('run')
    .description('estimate an experiment, ask, and start it')
    .requiredOption('-f, --filename <path>', 'manifest with one Experiment, or - for standard input')
    .option('--name <name>', 'name, instead of that of the manifest')
    .option('--dry-run', 'estimate it and start nothing')
    .option('--yes', `start it without confirmation; required above ${EXPERIMENT_RUNS_UNCONFIRMED_MAX} runs without a terminal`)
    .option('--wait', 'wait until it has ended, and print its metrics')
    .addOption(timeoutOption('longest wait with --wait'))
    .action((options) => run((invocation) => start(invocation, options)));
  command
    .command('get')
    .description('show the metrics of each variant')
    .argument('<name>', NAME_HELP)
    .option('--no-headers', 'print the table without its titles')
    .action((word) => run((invocation) => metrics(invocation, word)));
  command
    .command('results')
    .description('list the results, variants of a case next to each other')
    .argument('<name>', NAME_HELP)
    .option('--case <name>', 'only this case')
    .option('--variant <name>', 'only this variant')
    .option('--failed', 'only runs that ended without success')
    .option('--down', 'only results with a thumb down')
    .option('--no-headers', 'print the table without its titles')
    .action((word, options) => run((invocation) => results(invocation, word, options)));
  command
    .command('rate')
    .description('rate a result')
    .argument('<name>', NAME_HELP)
    .argument('<run>', 'number of the run')
    .argument('<thumb>', 'up, down or none')
    .option('--note <text>', 'note of the result; "" removes it (default: as before)')
    .action((...words) =>
      run((invocation) => rate(invocation, { word: words[0], number: words[1], thumb: words[2], note: words[3].note })),
    );
  command
    .command('cancel')
    .description('start no further runs, cancel those that run, keep the results')
    .argument('<name>', NAME_HELP)
    .option('--reason <text>', 'why, for the record')
    .action((word, { reason }) => run((invocation) => cancel(invocation, word, reason)));
  command
    .command('export')
    .description('print all results as CSV or JSON')
    .argument('<name>', NAME_HELP)
    .option('--format <format>', 'csv or json (default: csv)')
    .action((word, { format }) => run((invocation) => exportResults(invocation, word, format ?? 'csv')));
};

const handleOf = (invocation: Invocation, word: string): Promise<ObjectHandle> => handleFromWord(invocation, kind, word);

interface Manifest {
  readonly body: Readonly<Record<string, unknown>>;
  readonly namespace: string;
  readonly name: string;
}

async function readManifest(invocation: Invocation, { filename, name }: RunOptions): Promise<Manifest> {
  const documents = await readDocuments(invocation, [filename]);
  const [only] = documents;
  const body = only?.value;
  if (documents.length !== 1 || !isObject(body) || body['kind'] !== kind.kind)
    throw usageError(
      `${filename} must hold one Experiment and nothing else`,
      (svcctl) => `apply other objects with "${svcctl} apply -f …" before`,
    );
  const metadata = isObject(body['metadata']) ? body['metadata'] : {};
  const { namespace: current } = await invocation.connect();
  const namespace = typeof metadata['namespace'] === 'string' ? metadata['namespace'] : current;
  const own = name ?? metadata['name'];
  if (typeof own !== 'string' || own === '') throw usageError('the Experiment has no metadata.name', 'add one, or give --name');
  return { body: { ...body, metadata: { ...metadata, name: own, namespace } }, namespace, name: own };
}

async function start(invocation: Invocation, options: RunOptions): Promise<number | undefined> {
  invocation.format(RECORD_FORMATS);
  const { body, namespace, name } = await readManifest(invocation, options);
  const { client } = await invocation.connect();
  const { body: estimate } = await client.send<ExperimentEstimate>({
    method: 'POST',
    path: '/v1/experiment-estimates',
    query: { namespace },
    body: { spec: body['spec'] },
  });
  const problems = estimate.problems.map(({ path, message }) => `${invocation.errorStyle.bad('error:')} ${path} ${message}`);
  if (problems.length > 0) {
    invocation.note(...problems);
    throw new CliError('the experiment cannot run; nothing was started');
  }
  if (options.dryRun) return void printRecord(invocation, estimate, { name, table: () => invocation.out(estimateText(estimate)) });
  if (!options.yes && needsQuestion(estimate))
    await requireYes(invocation, {
      question: `Start ${estimate.runs} runs?`,
      unasked: `${name} would start ${estimateText(estimate)}, and there is no terminal to confirm it`,
      outcome: 'nothing was started',
      shown: [estimateText(estimate)],
    });
  else invocation.note(invocation.errorStyle.dim(estimateText(estimate)));
  const created = await createObject(client, { kind, namespace, name }, { body, taken: 'choose another --name' });
  const word = objectWord(kind.kind, name);
  if (!options.wait) return void printRecord(invocation, created, { name: word, table: () => invocation.out(`${word} created`) });
  invocation.note(`${word} created`);
  const goals = [{ key: { kind, namespace, name }, condition: { until: 'terminal' } as const }];
  const code = await waitForAll(invocation, goals, { timeoutMs: options.timeout, quiet: true });
  if (code !== 0) return code;
  const ended = await getObject(client, { kind, namespace, name });
  printMetrics(invocation, ended);
  if (statusOf('Experiment', ended).variants?.some(({ failed = 0 }) => failed > 0))
    invocation.note(
      `${invocation.errorStyle.accent('hint:')} "${invocation.terminal.program} experiment results ${name} --failed" shows why runs failed`,
    );
  return code;
}

const needsQuestion = ({ runs, cost_usd: cost }: ExperimentEstimate): boolean => runs > EXPERIMENT_RUNS_UNCONFIRMED_MAX || (cost ?? 0) > 0;

function estimateText({ runs, tokens, cost_usd: cost, based_on: basis }: ExperimentEstimate): string {
  const count = `${runs} ${runs === 1 ? 'run' : 'runs'}`;
  if (tokens === null) return `${count}; tokens and cost are not known: the system has no earlier runs`;
  const price = cost === null ? 'cost not known' : `about $${cost}`;
  return `${count}; about ${tokens} tokens, ${price}, estimated from ${basis} earlier ${basis === 1 ? 'run' : 'runs'} of the system`;
}

type Metrics = NonNullable<ExperimentStatus['variants']>[number];

async function metrics(invocation: Invocation, word: string): Promise<void> {
  invocation.format(LIST_FORMATS);
  const { client, key } = await handleOf(invocation, word);
  printMetrics(invocation, await getObject(client, key));
}

const timeText = (ms: number | null | undefined): string => (ms === undefined || ms === null ? '-' : elapsed(ms));
const costText = (cost: number | null | undefined, unpriced: number | null | undefined): string =>
  cost === undefined || cost === null ? '-' : `$${cost}${(unpriced ?? 0) > 0 ? '+' : ''}`;

function printMetrics(invocation: Invocation, experiment: Resource): void {
  const status = statusOf('Experiment', experiment);
  const print = listPrinter<Metrics>(invocation, {
    columns: [
      { title: 'VARIANT', cell: ({ name }) => cellText(name) },
      { title: 'RUNS', cell: ({ runs }) => cellText(runs) },
      { title: 'SUCCEEDED', cell: ({ succeeded }) => cellText(succeeded) },
      { title: 'FAILED', cell: ({ failed }) => cellText(failed) },
      { title: 'UP', cell: ({ up }) => cellText(up) },
      { title: 'DOWN', cell: ({ down }) => cellText(down) },
      { title: 'TOKENS', cell: ({ tokens }) => cellText(tokens) },
      { title: 'COST', cell: ({ costUsd, unpricedRuns }) => costText(costUsd, unpricedRuns) },
      { title: 'P50', cell: ({ p50Ms }) => timeText(p50Ms) },
      { title: 'P95', cell: ({ p95Ms }) => timeText(p95Ms) },
      { title: 'CANCELLED', cell: ({ cancelled }) => cellText(cancelled), wide: true },
      { title: 'DENIED', cell: ({ denied }) => cellText(denied), wide: true },
    ],
    drop: ['P95', 'P50', 'DOWN', 'UP', 'COST'],
    empty: 'No runs yet.',
  });
  const { phase, runs = 0, total = 0, lastError } = status;
  invocation.note(`${phase}: ${runs} of ${total} runs${lastError === undefined ? '' : `; ${lastError}`}`);
  print(status.variants ?? []);
}

const resultPage = (client: ApiClient, key: ObjectKey, query: { after: string | number; limit: number }) =>
  sendAbout<{ readonly items: readonly ExperimentResult[]; readonly continue?: string }>(client, key, {
    method: 'GET',
    below: 'results',
    query,
  });

async function* allResults(client: ApiClient, key: ObjectKey): AsyncGenerator<readonly ExperimentResult[]> {
  for (let after = '0'; ;) {
    const page = await resultPage(client, key, { after, limit: PAGE });
    yield page.items;
    if (page.continue === undefined) return;
    after = page.continue;
  }
}

function wanted(result: ExperimentResult, options: ResultOptions): boolean {
  if (options.case !== undefined && result.case !== options.case) return false;
  if (options.variant !== undefined && result.variant !== options.variant) return false;
  if (options.failed && !endedWithoutSuccess(result)) return false;
  return !options.down || result.rating?.thumb === 'down';
}

async function results(invocation: Invocation, word: string, options: ResultOptions): Promise<void> {
  const print = listPrinter<ExperimentResult>(invocation, {
    columns: [
      { title: 'RUN', cell: ({ run }) => String(run) },
      { title: 'CASE', cell: (result) => result.case },
      { title: 'VARIANT', cell: ({ variant }) => variant },
      { title: 'OUTCOME', cell: ({ outcome }) => outcome },
      { title: 'TOKENS', cell: ({ tokens }) => cellText(tokens) },
      { title: 'COST', cell: ({ cost_usd: cost, unpriced_calls: unpriced }) => costText(cost, unpriced) },
      { title: 'TIME', cell: ({ active_ms: ms }) => timeText(ms) },
      { title: 'RATING', cell: ({ rating }) => ratingText(rating) },
      { title: 'OUTPUT', cell: (result) => cellText((endedWithoutSuccess(result) && result.error) || result.output) },
      { title: 'REPEAT', cell: ({ repeat }) => String(repeat), wide: true },
      { title: 'TASK', cell: ({ task }) => cellText(task), wide: true },
    ],
    drop: ['TIME', 'COST', 'TOKENS', 'RATING'],
    empty: 'No results.',
  });
  const { client, key } = await handleOf(invocation, word);
  const found: ExperimentResult[] = [];
  for await (const page of allResults(client, key)) found.push(...page.filter((result) => wanted(result, options)));
  print(found);
}

const ratingText = (rating: Rating | null): string =>
  rating === null ? '-' : [rating.thumb, rating.note].filter((part) => part !== null).join(': ') || '-';

interface RateWords {
  readonly word: string;
  readonly number: string;
  readonly thumb: string;
  readonly note: string | undefined;
}

async function rate(invocation: Invocation, { word, number, thumb: thumbWord, note }: RateWords): Promise<void> {
  invocation.format(RECORD_FORMATS);
  if (!/^[1-9]\d{0,3}$/.test(number))
    throw usageError(`"${number}" is not a run number`, (svcctl) => `"${svcctl} experiment results" lists them`);
  const thumb = Object.hasOwn(THUMB_WORDS, thumbWord) ? THUMB_WORDS[thumbWord] : undefined;
  if (thumb === undefined) throw usageError(`the thumb must be up, down or none, not "${thumbWord}"`);
  const { client, key } = await handleOf(invocation, word);
  const [found] = (await resultPage(client, key, { after: Number(number) - 1, limit: 1 })).items;
  const before = found?.run === Number(number) ? found.rating : null;
  const rating = await sendAbout<Rating>(client, key, {
    method: 'PUT',
    below: `results/${number}/rating`,
    body: { thumb, note: note ?? before?.note ?? null, version: before?.version ?? 0 },
  });
  const name = objectWord(kind.kind, key.name);
  printRecord(invocation, rating, { name, table: () => invocation.out(`${name} run ${number} rated: ${ratingText(rating)}`) });
}

async function cancel(invocation: Invocation, word: string, reason: string | undefined): Promise<void> {
  const { client, key } = await handleOf(invocation, word);
  await postAction(client, key, { name: 'cancel', body: { ...(reason !== undefined && { reason }) } });
  invocation.out(`${objectWord(kind.kind, key.name)} cancelled`);
}

async function exportResults(invocation: Invocation, word: string, format: string): Promise<void> {
  if (format !== 'csv' && format !== 'json') throw usageError(`--format must be csv or json, not "${format}"`);
  const { client, key } = await handleOf(invocation, word);
  const found: ExperimentResult[] = [];
  for await (const page of allResults(client, key)) found.push(...page);
  if (format === 'json') return invocation.out(JSON.stringify(found, null, 2));
  const lines = [experimentCsvHead(), ...found.map(experimentCsvLine)];
  invocation.out(...lines.map((line) => line.replace(/\r\n$/, '')));
}
