// Applies several documents at once: the effect of each is reviewed first, then all are applied in one transaction.
import { useQuery } from '@tanstack/react-query';
import { FileCheck2, FileUp, X } from 'lucide-react';
import { useState } from 'react';
import { useCanEdit, useCanWrite } from '../../sign-in/can-write.ts';
import { pageAddress } from '../../navigation/addresses.ts';
import { usePageTitle } from '../../navigation/page-title.ts';
import { useScope } from '../../navigation/scope.ts';
import { textParam, useSearchState } from '../../navigation/search-state.ts';
import { api } from '../../live/api.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { bottomBar } from '../../ui/layout/bottom-bar.ts';
import { Button } from '../../ui/button/Button.tsx';
import { Chip } from '../../ui/status/Chip.tsx';
import { Combobox } from '../../ui/input/Combobox.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { formatBytes, formatNumber } from '../../ui/status/format.ts';
import { LinkButton } from '../../ui/button/LinkButton.tsx';
import { PageHeader } from '../../ui/layout/PageHeader.tsx';
import { DropZone } from './import/DropZone.tsx';
import { DOCUMENTS_MAX } from './import/import-documents.ts';
import { ImportTable } from './import/ImportTable.tsx';
import { ImportResult } from './import/ImportResult.tsx';
import { useImport, useSources, type Import } from './import/use-import.ts';

const PARAMS = { sample: textParam };

export function ImportPage() {
  usePageTitle('Import');
  const { home } = useScope();
  const [{ sample }, setState] = useSearchState(PARAMS);
  const [namespace, setNamespace] = useState(home);
  const sources = useSources(sample);
  const { reason } = useCanEdit();
  const work = useImport(sources, namespace);
  const startOver = () => {
    setState({ sample: '' });
    sources.clear();
  };
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <PageHeader
        title="Import"
        meta="YAML or JSON, up to 1,000 documents and 4 MiB. The server checks each before anything changes."
        actions={
          sources.sources.length > 0 ? (
            <Button onClick={startOver}>Start over</Button>
          ) : (
            <LinkButton icon={<FileCheck2 />} href={pageAddress(home, 'bundle')}>
              Import a bundle
            </LinkButton>
          )
        }
      />
      {reason !== undefined && <Banner tone="neutral">{reason}</Banner>}
      {sources.refused.map((sentence) => (
        <Banner key={sentence} tone="warn">
          {sentence}
        </Banner>
      ))}
      {sources.sources.length === 0 && sample === '' && <DropZone large onRead={sources.add} />}
      {work.applied && <ImportResult applied={work.applied} namespace={namespace} onAgain={startOver} />}
      {sources.sources.length > 0 && !work.applied && (
        <>
          <div className="flex flex-wrap items-center gap-2 px-6 pb-3 max-sm:px-4">
            {sources.sources.map((source, index) => (
              <Chip key={index} icon={<FileUp />} removeLabel={`Take ${source.name} away`} onRemove={() => sources.remove(source)}>
                {source.name} <span className="text-muted">{formatBytes(new Blob([source.text]).size)}</span>
              </Chip>
            ))}
            <DropZone onRead={sources.add} />
          </div>
          <Plan work={work} namespace={namespace} onNamespace={setNamespace} />
        </>
      )}
    </div>
  );
}

interface PlanProps {
  readonly work: Import;
  readonly namespace: string;
  readonly onNamespace: (namespace: string) => void;
}

function Plan({ work, namespace, onNamespace }: PlanProps) {
  const { data: namespaces = [] } = useQuery(api.server.namespaces.queryOptions());
  const { documents, included, tooLarge, bytes, check, refused, faults, overtaken } = work;
  if (tooLarge) {
    return (
      <Banner tone="danger" icon={<X />}>
        This is {formatBytes(bytes)}, and one import accepts at most 4 MiB. Remove a file, or import it in parts.
      </Banner>
    );
  }
  if (documents.length === 0) return <Banner tone="warn">No documents found.</Banner>;
  return (
    <>
      {included.length > DOCUMENTS_MAX && (
        <Banner tone="danger" icon={<X />}>
          These are {formatNumber(included.length)} documents, and one import accepts at most {formatNumber(DOCUMENTS_MAX)}, so none was
          tried. Remove a file, or import it in parts.
        </Banner>
      )}
      {check.error !== null && (
        <ErrorCard error={check.error} title="The check failed" onRetry={() => void check.refetch()} className="mx-6 mb-3 max-w-3xl" />
      )}
      {refused && (
        <Banner tone="danger">Nothing was applied. {faults.size > 0 ? 'Refused documents show the reason.' : refused.message}</Banner>
      )}
      {overtaken.size > 0 && (
        <Banner tone="warn">
          Nothing was applied: {overtaken.size === 1 ? 'one object' : `${overtaken.size} objects`} changed after your review. Below is what
          the documents would do now. Review them again, then apply.
        </Banner>
      )}
      <ImportTable work={work} namespace={namespace} />
      <footer ref={bottomBar} className="flex flex-wrap items-center justify-end gap-3 border-t border-border px-6 py-2.5 max-sm:px-4">
        <span className="flex items-center gap-2 text-sm text-muted">
          Default namespace
          <Combobox
            aria-label="Default namespace"
            allowCustom
            value={namespace}
            onChange={onNamespace}
            options={namespaces.map((value) => ({ value }))}
            className="w-48"
          />
        </span>
        <ApplyButton work={work} />
      </footer>
    </>
  );
}

/** Reason why the import as a whole cannot be applied, in one sentence. */
function blockOf({ included, check, faults }: Import): string | undefined {
  if (included.length === 0) return 'Every document is left out.';
  if (included.length > DOCUMENTS_MAX) return `One import accepts at most ${formatNumber(DOCUMENTS_MAX)} documents.`;
  if (!check.data || check.isFetching) return check.error === null ? 'The server is still checking.' : 'The server could not check them.';
  const wrong = included.filter(({ id }) => check.data?.get(id)?.state === 'invalid' || faults.has(id)).length;
  if (wrong > 0) return `${wrong === 1 ? 'One document has' : `${wrong} documents have`} problems. Fix them, or leave them out.`;
  const changes = included.some(({ id }) => check.data?.get(id)?.state !== 'unchanged');
  return changes ? undefined : 'Nothing to change.';
}

function ApplyButton({ work }: { readonly work: Import }) {
  const { reason } = useCanWrite();
  const count = work.included.length;
  return (
    <Button variant="primary" busy={work.busy} disabledReason={reason ?? blockOf(work)} onClick={() => void work.apply()}>
      Apply {count === 1 ? 'one document' : `${count} documents`}
    </Button>
  );
}
