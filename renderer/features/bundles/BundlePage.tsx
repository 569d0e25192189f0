// Imports a bundle: an agent system that another server has signed. Its signature and every change are reviewed before anything is written.
import { useQuery } from '@tanstack/react-query';
import { FileCheck2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { kindAddress } from '../../navigation/addresses.ts';
import { usePageTitle } from '../../navigation/page-title.ts';
import { useScope } from '../../navigation/scope.ts';
import { textParam, useSearchState } from '../../navigation/search-state.ts';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { api } from '../../live/api.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { bottomBar } from '../../ui/layout/bottom-bar.ts';
import { Button } from '../../ui/button/Button.tsx';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { HiddenFileInput } from '../../ui/input/HiddenFileInput.tsx';
import { NamespacePicker } from '../../ui/input/NamespacePicker.tsx';
import { PageHeader } from '../../ui/layout/PageHeader.tsx';
import { Skeleton } from '../../ui/feedback/Skeleton.tsx';
import { toastError } from '../../ui/overlay/toast.ts';
import { readBundleFile, takeBundle, type BundleFile } from './model/bundle-file.ts';
import { importBlock, isOvertaken, useBundleImport, useBundleReview } from './model/bundle-import.ts';
import { ImportedObjects } from './parts/ImportedObjects.tsx';
import { ReviewedObjects } from './parts/ReviewedObjects.tsx';
import { SecretNames } from './parts/SecretNames.tsx';
import { SignatureCard } from './parts/SignatureCard.tsx';

const PARAMS = { file: textParam };

/** A file that the desktop app opens has a number in the address: another file replaces the first. */
export function BundlePage() {
  usePageTitle('Import a bundle');
  const [{ file }] = useSearchState(PARAMS);
  return <BundleImport key={file} />;
}

function BundleImport() {
  const { scope } = useScope();
  const [file, setFile] = useState<BundleFile | undefined>(takeBundle);
  const [round, setRound] = useState(0);
  const startOver = () => {
    setFile(undefined);
    setRound(round + 1);
  };
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <PageHeader
        crumbs={[{ label: 'Agent systems', href: kindAddress(scope, 'AgentSystem') }]}
        title="Import a bundle"
        meta={file ? file.name : 'A system that another server has signed. Nothing changes before you have read the review.'}
        actions={file && <Button onClick={startOver}>Start over</Button>}
      />
      {file ? <Review key={round} file={file} /> : <ChooseFile onFile={setFile} />}
    </div>
  );
}

function ChooseFile({ onFile }: { readonly onFile: (file: BundleFile) => void }) {
  const chooser = useRef<HTMLInputElement>(null);
  const read = (file: File | undefined) => {
    if (file) readBundleFile(file).then(onFile, (error: unknown) => toastError('The file was not read', error));
  };
  return (
    <div
      className="flex flex-1 flex-col"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        read(event.dataTransfer.files[0]);
      }}
    >
      <HiddenFileInput ref={chooser} accept=".svcbundle" label="Bundle to import" onFiles={([file]) => read(file)} />
      <EmptyState
        cause="none"
        icon={<FileCheck2 />}
        title="Choose a bundle, or drop one here"
        action={
          <Button variant="primary" onClick={() => chooser.current?.click()}>
            Choose a file
          </Button>
        }
      >
        A .svcbundle file comes from a system’s page on another server (Export), or from “svcctl bundle export”. It holds no values of
        Secrets.
      </EmptyState>
    </div>
  );
}

function Review({ file }: { readonly file: BundleFile }) {
  const { home } = useScope();
  const { reason } = useCanWrite();
  const [namespace, setNamespace] = useState(home);
  const [secrets, setSecrets] = useState<Readonly<Record<string, string>>>({});
  const [keyId, setKeyId] = useState('');
  const { data: namespaces = [] } = useQuery(api.server.namespaces.queryOptions());
  const { data: review, error, isFetching, refetch } = useBundleReview(file, { namespace, secrets });
  const work = useBundleImport(file, { namespace, secrets });
  // Stays on the page while another namespace or Secret is reviewed.
  const [latest, setLatest] = useState(review);
  if (review && review !== latest) setLatest(review);
  const shown = review ?? latest;
  if (work.data && shown) return <ImportedObjects system={{ namespace, name: shown.name }} results={work.data} />;
  if (!shown)
    return error ? (
      <ErrorCard error={error} title="This file cannot be imported" onRetry={() => void refetch()} className="mx-6 max-w-3xl" />
    ) : (
      <Skeleton className="mx-6 h-40" />
    );
  return (
    <>
      <div className="min-h-0 flex-1 overflow-auto px-6 pb-6 max-sm:px-4" tabIndex={0} role="region" aria-label="Review of the bundle">
        <div className="flex max-w-4xl flex-col gap-4">
          {error && <ErrorCard error={error} title="The review failed" onRetry={() => void refetch()} />}
          {work.error &&
            (isOvertaken(work.error) ? (
              <Banner
                tone="warn"
                action={<Button onClick={() => (work.reset(), void refetch())}>Review again</Button>}
                className="rounded-md"
              >
                Nothing was imported: an object changed since the review.
              </Banner>
            ) : (
              <ErrorCard error={work.error} title="Nothing was imported" />
            ))}
          <SignatureCard review={shown} keyId={keyId} onKeyId={setKeyId} />
          <SecretNames review={shown} namespace={namespace} onRename={(name, here) => setSecrets({ ...secrets, [name]: here })} />
          <ReviewedObjects review={shown} />
        </div>
      </div>
      <footer ref={bottomBar} className="flex flex-wrap items-center justify-end gap-3 border-t border-border px-6 py-2.5 max-sm:px-4">
        <NamespacePicker label="Namespace" value={namespace} onChange={setNamespace} namespaces={namespaces} />
        <Button
          variant="primary"
          busy={work.isPending}
          disabledReason={reason ?? (isFetching || !review ? 'The server is checking the bundle.' : importBlock(review, keyId))}
          onClick={() => review && work.mutate(review)}
        >
          Import {shown.name}
        </Button>
      </footer>
    </>
  );
}
