// `svcctl diff`: what apply would change, by the server's own dry run, as a unified diff. Writes nothing.
import { kindByName } from '@svc/shared/kinds';
import { API_VERSION, type Resource } from '@svc/shared/resource';
import { applyDocuments, readDocuments, type ApplyResult } from '../manifests/apply-manifests.ts';
import { identityOf } from '../manifests/check-manifests.ts';
import { ApiError, type ApiClient } from '../api/client.ts';
import type { CommandSetup } from '../program/command-setup.ts';
import { editableOf, editableYaml } from '../manifests/editable.ts';
import { comparison, EXIT } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { differenceLines, type Sides } from '../output/difference-lines.ts';
import { dryRunObject, getObject, type ObjectKey } from '../api/resource-api.ts';

interface DiffOptions {
  readonly filename: readonly string[];
}

export const setupDiff: CommandSetup = (command, run) => {
  command
    .requiredOption('-f, --filename <path...>', 'files, directories (recursively) or - for standard input')
    .addHelpText('after', '\nExit code 0: no differences; 1: there are some; 2 or more: it failed.\nValues of Secrets are not shown.')
    .action((options) => run((invocation) => comparison(printDifferences(invocation, options))));
};

async function printDifferences(invocation: Invocation, { filename }: DiffOptions): Promise<number> {
  const documents = await readDocuments(invocation, filename);
  // The whole is checked as apply checks it; single documents then show the objects that would result.
  const results = await applyDocuments(invocation, documents, { dryRun: true });
  const { client, namespace } = await invocation.connect();
  let different = false;
  for (const result of results.filter(({ action }) => action !== 'unchanged')) {
    const kind = kindByName(result.kind);
    const document = documents.find(({ value }) => {
      const identity = identityOf(value, namespace);
      return identity.kind === result.kind && identity.namespace === result.namespace && identity.name === result.name;
    });
    if (!kind || !document) continue;
    const key = { kind, namespace: result.namespace, name: result.name };
    different = true;
    invocation.out(...differenceLines(invocation, result, await bothSides(client, { key, result, value: document.value })));
  }
  return different ? EXIT.failed : EXIT.ok;
}

async function bothSides(
  client: ApiClient,
  { key, result, value }: { key: ObjectKey; result: ApplyResult; value: unknown },
): Promise<Sides> {
  const before = result.action === 'created' ? undefined : await getObject(client, key);
  const after = await dryRunObject(client, key, value).catch((error: unknown) => {
    // A new object may need others of the same files, which are not there yet: it is shown as written.
    if (before || !(error instanceof ApiError) || error.status >= 500) throw error;
    return undefined;
  });
  return { before: before ? editableYaml(before) : '', after: editableYaml(after ?? asWritten(key, value)) };
}

/** The document under its identity, without the server's defaults; values of a Secret are hidden by its kind. */
function asWritten({ kind, namespace, name }: ObjectKey, value: unknown): Resource {
  const { metadata, spec } = editableOf(value as object);
  const shown: unknown = kind.redact(kind.normalize(spec, { namespace, name }));
  return { apiVersion: API_VERSION, kind: kind.kind, metadata: { ...metadata, namespace, name }, spec: shown } as unknown as Resource;
}
