// Problems that the server would report for a text: a dry run of applying its documents, mapped to their places.
import type { FieldError } from '@svc/shared/errors';
import type { ResourceKey } from '@svc/shared/resource';
import { client } from '../live/api.ts';
import { problemOf } from '../live/problem.ts';
import { placeErrors, schemaOf, type CheckOptions, type TextCheck, type TextProblem } from '../yaml/check-text.ts';

/** `unable`: no result is possible, as with a reader's token or a lost server. */
export type ServerCheck =
  { readonly status: 'checked'; readonly problems: readonly TextProblem[] } | { readonly status: 'unable'; readonly reason: string };

interface DocumentProblems {
  readonly index: number;
  readonly errors: readonly FieldError[];
  readonly severity: TextProblem['severity'];
}

const DOCUMENT = /^documents\[(\d+)\]\.?/;

/** Paths of an apply begin with the document they are about. */
function byDocument(details: readonly FieldError[], message: string): DocumentProblems[] {
  const all = details.length > 0 ? details : [{ path: '', message }];
  return all.map(({ path, message: text }) => ({
    index: Number(DOCUMENT.exec(path)?.[1] ?? 0),
    errors: [{ path: path.replace(DOCUMENT, ''), message: text }],
    severity: 'error',
  }));
}

function placed(check: TextCheck, options: CheckOptions, found: readonly DocumentProblems[]): TextProblem[] {
  return found.flatMap(({ index, errors, severity }) => {
    const document = check.documents[index];
    if (!document) return [];
    return placeErrors({ document, schema: schemaOf(document, options).schema }, errors, { source: 'server', severity });
  });
}

/** Checks a locally valid text on the server. Never rejects, except on abort. */
export async function checkOnServer(check: TextCheck, options: CheckOptions, signal: AbortSignal): Promise<ServerCheck> {
  if (!check.values) return { status: 'checked', problems: [] };
  try {
    const results = await client.resources.applyAll.mutate(
      { documents: [...check.values], namespace: options.namespace, dryRun: true },
      { signal },
    );
    const indexOf = ({ kind, namespace, name }: ResourceKey) =>
      (check.values ?? []).findIndex((value) => {
        const each = value as { kind?: unknown; metadata?: { name?: unknown; namespace?: unknown } };
        return each.kind === kind && each.metadata?.name === name && (each.metadata.namespace ?? options.namespace) === namespace;
      });
    const warnings = results.flatMap(({ warnings: texts = [], missing = [], ...key }): DocumentProblems[] => [
      ...texts.map((message): DocumentProblems => ({ index: indexOf(key), errors: [{ path: '', message }], severity: 'info' })),
      {
        index: indexOf(key),
        errors: missing.map((each) => ({
          path: each.path,
          message: `names ${each.kind} ${each.namespace}/${each.name}, which does not exist`,
        })),
        severity: 'warning',
      },
    ]);
    return { status: 'checked', problems: placed(check, options, warnings) };
  } catch (error) {
    signal.throwIfAborted();
    const problem = problemOf(error);
    if (problem.code !== 'invalid' && problem.code !== 'conflict') return { status: 'unable', reason: problem.message };
    return { status: 'checked', problems: placed(check, options, byDocument(problem.details, problem.message)) };
  }
}
