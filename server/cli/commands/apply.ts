// `svcctl apply`: manifests to the server, all or none; with --run, the Tasks among them are followed to their end.
import type { CommandSetup } from '../program/command-setup.ts';
import { applyDocuments, readDocuments, resultLine, type ApplyResult } from '../manifests/apply-manifests.ts';
import { identityOf } from '../manifests/check-manifests.ts';
import { usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import type { ManifestDocument } from '../manifests/manifest-files.ts';
import { followToEnd, isTask, runAgain } from '../api/task-runs.ts';

interface ApplyCommandOptions {
  readonly filename: readonly string[];
  readonly dryRun?: boolean | undefined;
  readonly run?: boolean | undefined;
  readonly prune?: boolean | undefined;
  readonly selector?: string | undefined;
}

export const setupApply: CommandSetup = (command, run) => {
  command
    .requiredOption('-f, --filename <path...>', 'files, directories (recursively) or - for standard input')
    .option('--dry-run', 'validate and show what would happen, writing nothing')
    .option('--run', 'run the Tasks in it and follow them; a Task that exists already runs again under a new name')
    .option('--prune', 'delete objects that match -l and that no document names')
    .option('-l, --selector <labels>', 'selects the objects that --prune may delete')
    .action((options) => run((invocation) => apply(invocation, options)));
};

async function apply(invocation: Invocation, options: ApplyCommandOptions): Promise<number> {
  const format = invocation.format(['table', 'json', 'name']);
  if (options.prune && !options.selector) throw usageError('--prune needs -l', 'say which objects it may delete, such as -l app=reports');
  if (options.selector && !options.prune) throw usageError('-l only limits --prune');
  if (options.run && options.dryRun) throw usageError('--run and --dry-run cannot be combined');
  const documents = await readDocuments(invocation, options.filename);
  if (options.run && !documents.some(({ value }) => isTask(identityOf(value, '')))) {
    throw usageError('there is no Task in it to run', (svcctl) => `run an agent system with "${svcctl} run SYSTEM"`);
  }
  const results = await applyDocuments(invocation, documents, { dryRun: options.dryRun ?? false, prune: options.selector });
  const connection = await invocation.connect();
  const lines = results.map((result) => resultLine(result, connection, options.dryRun ? ' (dry run)' : ''));
  const print = options.run ? invocation.note.bind(invocation) : invocation.out.bind(invocation);
  if (format === 'json' && !options.run) invocation.out(JSON.stringify(results, null, 2));
  else if (format === 'name') print(...lines.map((line) => line.split(' ')[0] ?? line));
  else print(...lines);
  return options.run ? runTasks(invocation, documents, results) : 0;
}

async function runTasks(invocation: Invocation, documents: readonly ManifestDocument[], results: readonly ApplyResult[]): Promise<number> {
  const { namespace } = await invocation.connect();
  let exitCode = 0;
  for (const document of documents.filter(({ value }) => isTask(identityOf(value, '')))) {
    const identity = identityOf(document.value, namespace);
    const created = results.some(
      (result) => isTask(result) && result.name === identity.name && result.namespace === identity.namespace && result.action === 'created',
    );
    const spec = (document.value as { spec?: { mode?: unknown } }).spec ?? {};
    const key = created && spec.mode !== 'template' ? identity : await runAgain(invocation, identity, spec);
    exitCode = Math.max(exitCode, await followToEnd(invocation, key, {}));
  }
  return exitCode;
}
