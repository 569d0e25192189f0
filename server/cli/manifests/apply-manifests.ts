// Manifests to the server in one transaction, with the server's complaints shown at the lines they are about.
import { namesOf, readManifests, problemLine, type ManifestDocument, type ManifestProblem, type Manifests } from './manifest-files.ts';
import { ApiError, type ApiClient, type ApiResponse } from '../api/client.ts';
import { CliError } from '../program/exit-codes.ts';
import type { Connection, Invocation } from '../program/invocation.ts';
import { objectWord } from '../arguments/kind-arguments.ts';

export interface ApplyOptions {
  readonly dryRun?: boolean;
  /** Label selector of the objects to delete when no document names them. */
  readonly prune?: string | undefined;
}

export interface ApplyResult {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly action: 'created' | 'configured' | 'unchanged' | 'pruned';
  readonly resourceVersion: string;
}

const DOCUMENT_PATH = /^documents\[(\d+)\]\.?(.*)$/s;

/** Prints every problem at its place and ends the command. */
export function failWithProblems(invocation: Invocation, problems: readonly ManifestProblem[], outcome: string): never {
  invocation.note(...problems.map((problem) => `${invocation.errorStyle.bad('error:')} ${problemLine(problem)}`));
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  const kinds = problems.some((problem) => problem.path.startsWith('spec'))
    ? (svcctl: string) => `"${svcctl} explain KIND" describes every field`
    : undefined;
  throw new CliError(`${count}; ${outcome}`, { hint: kinds });
}

/** The documents of `-f` arguments; text that does not parse ends the command. */
export async function readDocuments(invocation: Invocation, paths: readonly string[]): Promise<readonly ManifestDocument[]> {
  const { documents, problems }: Manifests = await readManifests(paths, invocation.terminal);
  if (problems.length > 0) failWithProblems(invocation, problems, 'nothing was sent');
  if (documents.length === 0) throw new CliError(`no documents in ${namesOf(paths)}`);
  return documents;
}

/** Details that name a document become problems in its file; undefined when the error is about something else. */
function locateDetails(error: ApiError, documents: readonly ManifestDocument[]): ManifestProblem[] | undefined {
  const placeOf = (text: string, index: string) => {
    const document = documents[Number(index)];
    return document ? `${document.file}:${document.locate('').line}` : text;
  };
  const problems = error.details.flatMap((detail) => {
    const [, index, path = ''] = DOCUMENT_PATH.exec(detail.path) ?? [];
    const document = documents[Number(index ?? -1)];
    const message = detail.message.replace(/\bdocuments\[(\d+)\]/g, placeOf);
    return document ? [{ file: document.file, path, message, ...document.locate(path) }] : [];
  });
  return problems.length > 0 && problems.length === error.details.length ? problems : undefined;
}

/** As one JSON array: the limits of YAML texts do not count. */
export async function postDocuments(
  client: ApiClient,
  values: readonly unknown[],
  query: Record<string, string | boolean | undefined>,
): Promise<ApiResponse<{ readonly results: readonly ApplyResult[] }>> {
  return client.send<{ results: readonly ApplyResult[] }>({ method: 'POST', path: '/v1/apply', query, body: values });
}

/** Warnings of a dry run of apply, which writes nothing. Rejects when the server does not answer or refuses. */
export async function dryRunWarnings(invocation: Invocation, documents: readonly ManifestDocument[]): Promise<readonly string[]> {
  if (documents.length === 0) return [];
  const { client, namespace } = await invocation.connect();
  const values = documents.map((document) => document.value);
  return (await postDocuments(client, values, { namespace, fieldValidation: 'Strict', dryRun: true })).warnings;
}

/** Applies all documents or none. */
export async function applyDocuments(
  invocation: Invocation,
  documents: readonly ManifestDocument[],
  options: ApplyOptions,
): Promise<readonly ApplyResult[]> {
  const { client, namespace } = await invocation.connect();
  const query = {
    namespace,
    fieldValidation: 'Strict',
    dryRun: options.dryRun || undefined,
    ...(options.prune !== undefined && { prune: true, labelSelector: options.prune }),
  };
  try {
    const { body } = await postDocuments(
      client,
      documents.map((document) => document.value),
      query,
    );
    return body.results;
  } catch (error) {
    const problems = error instanceof ApiError ? locateDetails(error, documents) : undefined;
    if (problems) failWithProblems(invocation, problems, 'nothing was applied');
    throw error;
  }
}

/** `agent/planner created`, with the namespace where it is not the current one. */
export function resultLine(result: ApplyResult, connection: Connection, note = ''): string {
  const elsewhere = result.namespace === connection.namespace ? '' : ` in namespace ${result.namespace}`;
  return `${objectWord(result.kind, result.name)} ${result.action}${elsewhere}${note}`;
}
