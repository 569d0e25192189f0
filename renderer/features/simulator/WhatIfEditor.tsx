// The text of a what-if. A chunk of its own, since editors are heavy.
import { useCallback, useEffect, useState } from 'react';
import { cn } from '../../ui/cn.ts';
import type { TextProblem } from '../../yaml/check-text.ts';
import { splitDocuments } from '../../yaml/serialise.ts';
import { YamlEditor } from '../../editor/YamlEditor.tsx';
import type { WhatIf } from './use-what-if.ts';

/** Beyond this length the editor does not check the text, so the server reports the errors. */
const SETTLED_MS = 400;

export function WhatIfEditor({ whatIf, namespace }: { readonly whatIf: WhatIf; readonly namespace: string }) {
  const { text, setText, setDocuments, diagnostics } = whatIf;
  const [wrong, setWrong] = useState(false);
  const onProblems = useCallback(
    (problems: readonly TextProblem[]) => setWrong(problems.some(({ severity, source }) => severity === 'error' && source !== 'caller')),
    [],
  );
  useEffect(() => {
    const timer = setTimeout(() => {
      const documents = wrong ? [] : splitDocuments(text);
      const values = documents.flatMap(({ value }) => (value ? [value] : []));
      setDocuments(values.length > 0 && values.length === documents.length ? values : undefined);
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [text, wrong, setDocuments]);
  return (
    <YamlEditor
      label="YAML of the change to try"
      value={text}
      onChange={setText}
      namespace={namespace}
      diagnostics={diagnostics}
      onProblems={onProblems}
      askServer={false}
      className={cn('h-64 overflow-hidden', text === '' && 'rounded-b-lg')}
    />
  );
}
