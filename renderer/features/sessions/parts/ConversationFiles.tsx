// Wraps a page that opens conversations from files.
import type { ReactNode } from 'react';
import { FileView } from '../../../ui/file/FileView.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';
import type { OpenedConversation } from '../file/read-conversation-file.ts';

const ImportedConversation = lazyPart(async () => (await import('../file/ImportedConversation.tsx')).ImportedConversation);

/** The reader includes schemas, which must be created without code from text. */
async function read(file: File, onProgress: (part: number) => void): Promise<OpenedConversation> {
  const { withoutEval } = await import('@svc/shared/kinds/without-eval');
  withoutEval();
  const { readConversationBlob } = await import('../file/read-conversation-file.ts');
  return readConversationBlob(file, onProgress);
}

export function ConversationFiles({ children }: { readonly children: ReactNode }) {
  return (
    <FileView noun="conversation" read={read} show={(opened, onClose) => <ImportedConversation opened={opened} onClose={onClose} />}>
      {children}
    </FileView>
  );
}
