// `svcctl validate`: every problem of manifests at its place, and what would not work, from a dry run where a server answers.
import type { CommandSetup } from '../program/command-setup.ts';
import { manifestAdvice, manifestProblems } from '../manifests/check-manifests.ts';
import { dryRunWarnings, failWithProblems } from '../manifests/apply-manifests.ts';
import { CliError, usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { DEFAULT_SERVER } from '../program/settings.ts';
import { namesOf, readManifests, type ManifestDocument } from '../manifests/manifest-files.ts';
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
    const warnings = all.length === 0 ? await adviceOn(invocation, documents) : [];
    invocation.out(JSON.stringify({ valid: all.length === 0, documents: documents.length, problems: all, warnings }, null, 2));
    return all.length === 0 ? 0 : 1;
  }
  if (all.length > 0) failWithProblems(invocation, all, 'not valid');
  if (documents.length === 0) throw new CliError(`no documents in ${namesOf(paths)}`);
  for (const warning of await adviceOn(invocation, documents)) invocation.warnOnce(warning);
  const files = new Set(documents.map((document) => document.file)).size;
  invocation.out(
    `valid: ${documents.length} ${documents.length === 1 ? 'document' : 'documents'} in ${files} ${files === 1 ? 'file' : 'files'}`,
  );
  return 0;
}

/** The server's warnings; without a server what the kinds say by themselves. A server other than the default that does not answer is a warning too. */
async function adviceOn(invocation: Invocation, documents: readonly ManifestDocument[]): Promise<readonly string[]> {
  const { options, terminal } = invocation;
  try {
    return await dryRunWarnings(invocation, documents);
  } catch (error) {
    const own = manifestAdvice(documents, options.namespace ?? DEFAULT_NAMESPACE);
    const connection = await invocation.connect().catch(() => undefined);
    const named = options.server ?? options.profile ?? terminal.env['SVCCTL_SERVER'];
    return !named && connection?.server === DEFAULT_SERVER ? own : [...own, `not checked by the server: ${(error as Error).message}`];
  }
}
