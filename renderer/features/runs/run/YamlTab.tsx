// The run as read-only YAML: its spec and its state, without the long records.
import { Suspense, useMemo } from 'react';
import { stringify } from 'yaml';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import type { Run } from '../model/run.ts';
import { lazyPart } from '../../../ui/lazy-part.ts';

const YamlEditor = lazyPart(async () => (await import('../../../editor/YamlEditor.tsx')).YamlEditor);

export function YamlTab({ run }: { readonly run: Run }) {
  const text = useMemo(() => stringify(run, { lineWidth: 0 }), [run]);
  const { namespace, name } = run.metadata;
  return (
    <div className="flex h-[max(24rem,calc(100dvh-17rem))] flex-col print:h-auto">
      <div className="flex items-center gap-3 px-6 py-2 text-sm text-muted max-sm:px-4">
        <span className="flex-1">Read only. To change a run, retry it with edits.</span>
        <CopyButton words label="Copy YAML" text={text} />
      </div>
      <Suspense fallback={<Skeleton className="m-6 h-40" />}>
        <YamlEditor
          readOnly
          bare
          value={text}
          namespace={namespace}
          label={`YAML of Task ${namespace}/${name}`}
          className="min-h-0 flex-1"
        />
      </Suspense>
    </div>
  );
}
