// `svcctl validate`: every problem of manifests, at its place, without a server.
import type { CommandSetup } from '../command-setup.ts';
import { manifestProblems } from '../check-manifests.ts';
import { failWithProblems } from '../apply-manifests.ts';
import { CliError, usageError } from '../exit-codes.ts';
import type { Invocation } from '../invocation.ts';
import { namesOf, readManifests } from '../manifest-files.ts';
import { DEFAULT_NAMESPACE } from '@svc/shared/resource';

export const setupValidate: CommandSetup = (command, run) => {
  command
    .argument('[path...]', 'files, directories (recursively) or - for standard input')
    .option('-f, --filename <path...>', 'the same, as an option')
    .action((paths, options) => run((invocation) => validate(invocation, [...paths, ...(options.filename ?? [])])));
};

async function validate(invocation: Invocation, paths: readonly string[]): Promise<number> {
  if (paths.length === 0)
    throw usageError('nothing to validate', (svcctl) => `name files or directories, such as "${svcctl} validate -f manifests/"`);
  const format = invocation.format(['table', 'json']);
  const { documents, problems } = await readManifests(paths, invocation.terminal);
  const all = [...problems, ...manifestProblems(documents, invocation.options.namespace ?? DEFAULT_NAMESPACE)];
  all.sort((a, b) => (a.file === b.file ? a.line - b.line || a.column - b.column : a.file < b.file ? -1 : 1));
  if (format === 'json') {
    invocation.out(JSON.stringify({ valid: all.length === 0, documents: documents.length, problems: all }, null, 2));
    return all.length === 0 ? 0 : 1;
  }
  if (all.length > 0) failWithProblems(invocation, all, 'not valid');
  if (documents.length === 0) throw new CliError(`no documents in ${namesOf(paths)}`);
  const files = new Set(documents.map((document) => document.file)).size;
  invocation.out(
    `valid: ${documents.length} ${documents.length === 1 ? 'document' : 'documents'} in ${files} ${files === 1 ? 'file' : 'files'}`,
  );
  return 0;
}
