// Adds a document, typed or from a file: the server cuts it into entries that agents find by search. An earlier document of the same source
// is replaced only after a question.
import { MEMORY_DOCUMENT_MAX_BYTES, memoryDocumentProblem, memoryKeyProblem } from '@svc/shared/memory-limits';
import { useMutation } from '@tanstack/react-query';
import { FileUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Spinner } from '../../../ui/feedback/Spinner.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { HiddenFileInput } from '../../../ui/input/HiddenFileInput.tsx';
import { Form } from '../../../ui/input/Form.tsx';
import { FormButtons } from '../../../ui/input/FormButtons.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { toastDone } from '../../../ui/overlay/toast.ts';
import { useNow } from '../../../ui/status/clock.ts';
import { formatBytes, formatDuration, formatNumber } from '../../../ui/status/format.ts';
import { bytesOf, readDocument, segmentPrefix, segmentsOf } from '../model/entry-text.ts';
import { hasEntries, useEntryWrites, type MemoryRef } from '../model/use-entries.ts';

export interface DocumentDialogProps {
  readonly memory: MemoryRef;
  /** Beginning of the source. */
  readonly startKey: string;
  readonly onClose: () => void;
  readonly onAdded: (firstKey: string) => void;
}

interface Document {
  readonly source: string;
  readonly content: string;
}

const segments = (count: number): string => (count === 1 ? '1 entry' : `${formatNumber(count)} entries`);
const sentence = (subject: string, problem: string | undefined) => problem && `${subject} ${problem}.`;

export function DocumentDialog({ memory, startKey, onClose, onAdded }: DocumentDialogProps) {
  const { reason } = useCanWrite();
  const { ingest } = useEntryWrites(memory);
  const [document, setDocument] = useState<Document>({ source: startKey.replace(/\/$/, ''), content: '' });
  const { source, content } = document;
  const [tried, setTried] = useState(false);
  /** Source of an earlier document that this one replaces. */
  const [known, setKnown] = useState<string>();
  const problems = {
    source: sentence('The source', memoryKeyProblem(source)),
    content: sentence('The text', memoryDocumentProblem(content)),
  };
  const add = useMutation({
    mutationFn: async () => {
      if (known !== source && (await hasEntries(memory, segmentPrefix(source)))) return setKnown(source);
      const keys = await ingest(document);
      toastDone(`${source} was added as ${segments(keys.length)}`);
      onAdded(keys[0] ?? '');
    },
  });
  const submit = () => {
    setTried(true);
    if ((problems.source ?? problems.content ?? reason) === undefined && !add.isPending) add.mutate();
  };
  const replaces = known === source;
  return (
    <Dialog
      open
      onClose={onClose}
      closable={!add.isPending}
      size="lg"
      title="Add text"
      description="A long text is cut into entries that overlap, as memory.ingest does, so that agents find its parts by search."
    >
      <Form onSubmit={submit} className="flex flex-col gap-4">
        <DocumentFields
          document={document}
          problems={tried ? problems : {}}
          busy={add.isPending}
          onChange={(change) => setDocument({ ...document, ...change })}
        />
        {replaces && !add.isPending && (
          <p role="alert" className="rounded-md bg-warn-soft p-3 text-text">
            A document of this source exists. Adding this one replaces its entries.
          </p>
        )}
        {add.isPending && <Progress content={content} since={add.submittedAt} />}
        {add.error && <ErrorCard title="The text was not added" error={add.error} />}
        <FormButtons
          submit={replaces ? 'Replace' : 'Add'}
          onCancel={onClose}
          variant={replaces ? 'danger' : 'primary'}
          busy={add.isPending}
          disabledReason={reason}
        />
      </Form>
    </Dialog>
  );
}

interface DocumentFieldsProps {
  readonly document: Document;
  readonly problems: { readonly source?: string | undefined; readonly content?: string | undefined };
  readonly busy: boolean;
  readonly onChange: (change: Partial<Document>) => void;
}

function DocumentFields({ document: { source, content }, problems, busy, onChange }: DocumentFieldsProps) {
  return (
    <>
      <Field
        label="Source"
        required
        error={problems.source}
        hint={`Name of the document. Its entries are ${segmentPrefix(source === '' ? 'source' : source)}0000 and so on.`}
      >
        <Input mono value={source} readOnly={busy} onChange={(event) => onChange({ source: event.target.value })} />
      </Field>
      <Field label="Text" required error={problems.content} aside={<Size content={content} />}>
        <Textarea
          className="max-h-[28dvh] min-h-40"
          rows={8}
          value={content}
          readOnly={busy}
          onChange={(event) => onChange({ content: event.target.value })}
        />
      </Field>
      <FileChooser disabled={busy} onRead={({ name, text }) => onChange({ content: text, ...(source === '' && { source: name }) })} />
    </>
  );
}

function Size({ content }: { readonly content: string }) {
  return (
    <span>
      {content !== '' && `about ${segments(segmentsOf(content))}, `}
      {formatBytes(bytesOf(content))} of {formatBytes(MEMORY_DOCUMENT_MAX_BYTES)}
    </span>
  );
}

interface FileChooserProps {
  readonly disabled: boolean;
  readonly onRead: (file: { readonly name: string; readonly text: string }) => void;
}

function FileChooser({ disabled, onRead }: FileChooserProps) {
  const chooser = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  const read = (file: File | undefined) => {
    if (!file) return;
    setProblem(undefined);
    readDocument(file).then(
      (text) => onRead({ name: file.name, text }),
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <div className="flex flex-wrap items-center gap-3">
      <HiddenFileInput ref={chooser} accept="text/*,.md,.json,.yaml,.yml,.csv,.xml" label="Text file" onFiles={([file]) => read(file)} />
      <Button icon={<FileUp />} disabled={disabled} onClick={() => chooser.current?.click()}>
        Choose a file
      </Button>
      {problem !== undefined && (
        <p role="alert" className="min-w-0 flex-1 text-sm text-danger">
          {problem}
        </p>
      )}
    </div>
  );
}

function Progress({ content, since }: { readonly content: string; readonly since: number }) {
  const now = useNow(1_000);
  return (
    <div className="flex items-center gap-2 text-sm text-muted">
      <Spinner />
      <span role="status">Adding about {segments(segmentsOf(content))}…</span>
      <span className="tabular-nums">{formatDuration(Math.max(0, now - since))}</span>
    </div>
  );
}
