// Accepts chosen or dropped files, and pasted text. Pasted text is removed from the field at once: it may contain secrets.
import { ClipboardPaste, FileUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { cn } from '../../../ui/cn.ts';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { HiddenFileInput } from '../../../ui/input/HiddenFileInput.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import type { ReadFiles } from '../model/sources.ts';
import { pastedText, usePasted } from './use-pasted.ts';
import { useTakeFiles } from './use-take-files.ts';

export interface DropZoneProps {
  readonly onRead: (read: ReadFiles) => void;
  /** The whole page instead of two buttons. */
  readonly large?: boolean;
}

export function DropZone({ onRead, large = false }: DropZoneProps) {
  const chooser = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [pasting, setPasting] = useState(false);
  const take = useTakeFiles(onRead);
  usePasted((text, files) => {
    if (files.length > 0) take(files);
    else if (text.trim() === '') return false;
    else onRead(pastedText(text));
    return true;
  });
  const buttons = (
    <>
      <HiddenFileInput ref={chooser} multiple accept=".yaml,.yml,.json,.svcbundle" label="Files to import" onFiles={take} />
      <Button
        size={large ? 'md' : 'sm'}
        variant={large ? 'primary' : 'secondary'}
        icon={<FileUp />}
        onClick={() => chooser.current?.click()}
      >
        {large ? 'Choose files' : 'Add files'}
      </Button>
      <Button size={large ? 'md' : 'sm'} icon={<ClipboardPaste />} onClick={() => setPasting(true)}>
        Paste text
      </Button>
      {pasting && <PasteDialog onClose={() => setPasting(false)} onRead={onRead} />}
    </>
  );
  if (!large) return buttons;
  return (
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take([...event.dataTransfer.files]);
      }}
      className={cn(
        'mx-6 mb-6 flex min-h-72 flex-1 flex-col items-center justify-center gap-4 rounded-xl border-2 border-dashed border-border-strong p-6 text-center max-sm:mx-4',
        over && 'border-accent bg-accent-soft',
      )}
    >
      <FileUp aria-hidden className="size-8 text-faint" />
      <div>
        <h2 className="text-md font-semibold">Drop files here, or paste anywhere</h2>
        <p className="text-base text-pretty text-muted">Values of Secrets are hidden on this page and sent only when you apply.</p>
      </div>
      <div className="flex flex-wrap justify-center gap-2">{buttons}</div>
    </div>
  );
}

function PasteDialog({ onClose, onRead }: { readonly onClose: () => void; readonly onRead: DropZoneProps['onRead'] }) {
  const [text, setText] = useState('');
  const take = () => {
    onRead(pastedText(text));
    onClose();
  };
  return (
    <Dialog
      open
      size="xl"
      onClose={onClose}
      title="Paste documents"
      description="Cleared after reading, in case it contains secrets."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={text.trim() === ''} onClick={take}>
            Continue
          </Button>
        </>
      }
    >
      <Textarea
        mono
        className="min-h-[min(28rem,50vh)]"
        aria-label="Documents"
        placeholder="kind: Agent"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </Dialog>
  );
}
