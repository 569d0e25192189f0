// `svcctl label` and `svcctl annotate`: set and remove single entries of existing objects.
import type { Resource } from '@svc/shared/resource';
import type { CommandSetup } from '../program/command-setup.ts';
import { CliError, EXIT, usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { objectWord, parseTargets } from '../arguments/kind-arguments.ts';
import { resourceYaml } from '../output/resources.ts';
import { eachInOrder } from '../api/in-order.ts';
import { changeObject, type ObjectKey } from '../api/resource-api.ts';
import { keysOfTargets } from '../arguments/target-keys.ts';

interface MapWords {
  /** Field of the metadata. */
  readonly field: 'labels' | 'annotations';
  readonly noun: string;
  readonly done: string;
}

const LABELS: MapWords = { field: 'labels', noun: 'label', done: 'labeled' };
const ANNOTATIONS: MapWords = { field: 'annotations', noun: 'annotation', done: 'annotated' };

interface MapOptions {
  readonly selector?: string | undefined;
  readonly all?: boolean | undefined;
  readonly overwrite?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
}

const setup =
  (words: MapWords): CommandSetup =>
  (command, run) => {
    command
      .argument('<object...>', `KIND NAME…, KIND/NAME…, or KIND with -l or --all; then KEY=VALUE… to set, KEY-… to remove`)
      .option('-l, --selector <labels>', 'the objects of the kind whose labels match')
      .option('--all', 'every object of the kind in the namespace')
      .option('--overwrite', `replace ${words.field} that have another value`)
      .option('--dry-run', 'show what would be changed, changing nothing')
      .action((args, options) => run((invocation) => changeMaps(invocation, words, { args, options })));
  };

export const setupLabel = setup(LABELS);
export const setupAnnotate = setup(ANNOTATIONS);

/** Values to set; null removes. */
type Changes = ReadonlyMap<string, string | null>;

/** Object names hold no `=` and do not end in `-`, so those words are changes. */
const isChange = (word: string): boolean => word.includes('=') || (word.endsWith('-') && word.length > 1);

function changesOf(args: readonly string[], { noun }: MapWords): Changes {
  const changes = new Map<string, string | null>();
  for (const word of args.filter(isChange)) {
    const at = word.indexOf('=');
    const key = at < 0 ? word.slice(0, -1) : word.slice(0, at);
    if (key === '') throw usageError(`"${word}" has no key`, `write it as KEY=VALUE`);
    if (changes.has(key)) throw usageError(`the ${noun} ${key} is given twice`);
    changes.set(key, at < 0 ? null : word.slice(at + 1));
  }
  if (changes.size === 0) throw usageError(`no ${noun} given`, 'write KEY=VALUE to set one, KEY- to remove one');
  return changes;
}

interface MapCommand {
  readonly args: readonly string[];
  readonly options: MapOptions;
}

async function changeMaps(invocation: Invocation, words: MapWords, { args, options }: MapCommand): Promise<number> {
  const format = invocation.format(['table', 'json', 'yaml', 'name']);
  const changes = changesOf(args, words);
  const keys = await keysOfTargets(invocation, parseTargets(args.filter((word) => !isChange(word))), options);
  const { client } = await invocation.connect();
  const elsewhere = ({ namespace }: ObjectKey) => (invocation.allNamespaces ? ` in namespace ${namespace}` : '');
  const note = options.dryRun ? ' (dry run)' : '';
  const change = (current: Resource) => patchOf(current, { changes, words, overwrite: options.overwrite ?? false });
  let exitCode: number = EXIT.ok;
  const interrupted = await eachInOrder(invocation, keys, {
    perform: (key) =>
      changeObject(client, key, { change, dryRun: options.dryRun }).catch((error: unknown) => {
        if (!(error instanceof CliError) || keys.length === 1 || error.exitCode === EXIT.unreachable) throw error;
        return error;
      }),
    done: (key, changed) => {
      if (changed instanceof CliError) {
        invocation.note(`${invocation.errorStyle.bad('error:')} ${changed.message}`);
        exitCode = changed.exitCode;
      } else if (format === 'json' && changed) invocation.out(JSON.stringify(changed, null, 2));
      else if (format === 'yaml' && changed) invocation.out('---', resourceYaml(changed));
      else if (format === 'name') invocation.out(objectWord(key.kind.kind, key.name));
      else if (format === 'table')
        invocation.out(`${objectWord(key.kind.kind, key.name)} ${changed ? words.done : 'unchanged'}${elsewhere(key)}${note}`);
    },
  });
  return interrupted ? EXIT.interrupted : exitCode;
}

interface LabelRequest {
  readonly changes: Changes;
  readonly words: MapWords;
  readonly overwrite: boolean;
}

function patchOf({ kind, metadata }: Resource, { changes, words, overwrite }: LabelRequest): unknown {
  const current = metadata[words.field];
  const entries = [...changes].filter(([key, value]) => (Object.hasOwn(current, key) ? current[key] : null) !== value);
  const taken = entries.find(([key, value]) => value !== null && Object.hasOwn(current, key));
  if (taken && !overwrite)
    throw new CliError(`${objectWord(kind, metadata.name)} has the ${words.noun} ${taken[0]}=${current[taken[0]] ?? ''} already`, {
      hint: 'replace it with --overwrite',
    });
  return entries.length === 0 ? undefined : { metadata: { [words.field]: Object.fromEntries(entries) } };
}
