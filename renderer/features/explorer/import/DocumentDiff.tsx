// Difference that one document would make: the stored object beside the server's result. A new object shows its text, Secrets show no
// values.
import { useQuery } from '@tanstack/react-query';
import { client } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import { CodeBlock } from '../../../ui/text/CodeBlock.tsx';
import { QueryState } from '../../../ui/feedback/QueryState.tsx';
import { DiffView } from '../../../editor/DiffView.tsx';
import { objectYaml, toYaml } from '../../../yaml/serialise.ts';
import { maskedBody, type ImportDocument } from './import-documents.ts';

export interface DocumentDiffProps {
  readonly document: ImportDocument;
  readonly namespace: string;
  /** Version of the object that the server compared; another version is another comparison. */
  readonly version: string;
}

/**
 * A number for each document: another text of the same length is another document, and a text itself may contain a Secret, so it is not
 * used as a key.
 */
const numbers = new WeakMap<ImportDocument, number>();
let count = 0;

function numberOf(document: ImportDocument): number {
  const number = numbers.get(document) ?? (count += 1);
  numbers.set(document, number);
  return number;
}

interface Sides {
  readonly before: string | undefined;
  readonly after: string;
}

async function sidesOf({ kind, name, namespace: own, body = {} }: ImportDocument, home: string): Promise<Sides> {
  const key = { kind, name, namespace: own === '' ? home : own };
  const plain = toYaml(maskedBody(body));
  try {
    const current = await client.resources.get.query(key);
    const { resourceVersion } = current.metadata;
    const { resource } = await client.resources.write.mutate({ ...key, mode: 'replace', body, resourceVersion, dryRun: true });
    return { before: objectYaml(current), after: objectYaml(resource) };
  } catch (error) {
    if (problemOf(error).code !== 'not_found' && problemOf(error).code !== 'invalid') throw error;
    return { before: undefined, after: plain };
  }
}

export function DocumentDiff({ document, namespace, version }: DocumentDiffProps) {
  const query = useQuery({
    queryKey: ['import-diff', numberOf(document), namespace, version],
    queryFn: () => sidesOf(document, namespace),
    gcTime: 0,
    refetchInterval: false,
  });
  const what = `${document.kind} ${document.name}`;
  if (!query.data) return <QueryState query={query} title="The change could not be calculated" skeleton="h-24" />;
  if (query.data.before === undefined)
    return <CodeBlock text={query.data.after} label={`Text of ${what}`} fileName={`${document.name}.yaml`} />;
  return (
    <DiffView
      before={query.data.before}
      after={query.data.after}
      beforeLabel="As it is"
      afterLabel="After the import"
      label={`What changes of ${what}`}
      className="h-80"
    />
  );
}
