// Edits one document of an import in its place; what it holds is sent only when the import is checked.
import { useRef, useState } from 'react';
import { YamlEditor } from '../../../editor/YamlEditor.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { takesSubmitKey } from '../../../ui/input/submit-key.ts';
import { editableText, keepsCount, type ImportDocument, type PlacedProblem } from './import-documents.ts';

export interface DocumentEditorProps {
  readonly document: ImportDocument;
  readonly namespace: string;
  readonly problems: readonly PlacedProblem[];
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

export function DocumentEditor({ document, namespace, problems, onSave, onCancel }: DocumentEditorProps) {
  const [text, setText] = useState(() => editableText(document));
  // The problems of the text that was checked; the editor finds those of the new one.
  const diagnostics = useRef(problems.filter(({ path }) => path !== '').map(({ path, message }) => ({ path, message })));
  const changed = text !== editableText(document);
  const [miscounted, setMiscounted] = useState(false);
  const save = () => {
    const keeps = keepsCount(document, text);
    setMiscounted(!keeps);
    if (changed && keeps) onSave(text);
  };
  return (
    <div
      role="group"
      aria-label={`Edit ${document.kind} ${document.name}`}
      className="flex flex-col gap-2"
      onKeyDown={(event) => {
        if (takesSubmitKey(event)) save();
      }}
    >
      <YamlEditor
        label={`Text of ${document.kind} ${document.name}`}
        value={text}
        onChange={setText}
        namespace={document.namespace || namespace}
        diagnostics={changed ? NONE : diagnostics.current}
        revealPath={diagnostics.current[0]?.path}
        askServer={false}
        onSave={save}
        className="h-80 rounded-md border border-border"
      />
      {miscounted && (
        <p role="alert" className="text-base text-danger">
          The number of documents must stay. Leave one out by its checkbox; add further ones with “Paste text”.
        </p>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button variant="primary" disabledReason={changed ? undefined : 'Nothing was changed.'} onClick={save}>
          Check again
        </Button>
      </div>
    </div>
  );
}

const NONE: [] = [];
