// An agent edited beside the canvas: the fields that matter most, all fields as a form, or its YAML. All three write one draft.
import { parseRef } from '@svc/shared/resource';
import { RotateCcw } from 'lucide-react';
import { Suspense, useState } from 'react';
import type { AgentFacts } from '../../../graph/agent-summary.ts';
import type { SystemNode } from '../../../graph/system-graph.ts';
import { simulatorAddress } from '../../../navigation/addresses.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { Link } from '../../../ui/link/Link.tsx';
import { RoutePending } from '../../../ui/feedback/RoutePending.tsx';
import { SegmentedControl } from '../../../ui/input/SegmentedControl.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { objectYaml } from '../../../yaml/serialise.ts';
import { valueOfDraft, type DraftObject } from '../document/drafts.ts';
import type { Design } from '../document/use-design.ts';
import { AgentSettings } from './AgentSettings.tsx';
import { ModelPicker } from './ModelPicker.tsx';
import { PromptEditor } from './PromptEditor.tsx';
import { ToolList } from './ToolList.tsx';
import { useDraftable, type Draftable } from './use-draftable.ts';
import { useOffer } from './use-offer.ts';
import { useModels } from './use-models.ts';

const KindForm = lazyPart(async () => (await import('../../../editor/KindForm.tsx')).KindForm);
const YamlEditor = lazyPart(async () => (await import('../../../editor/YamlEditor.tsx')).YamlEditor);

export interface AgentFormProps {
  readonly node: SystemNode;
  readonly namespace: string;
  /** Name of the system; empty while it has none. */
  readonly system: string;
  /** The system is not stored yet. */
  readonly isNew: boolean;
  readonly facts: AgentFacts | undefined;
  readonly design: Design;
  readonly readOnly: boolean;
}

const VIEWS = [
  { value: 'main', label: 'Agent' },
  { value: 'all', label: 'All fields' },
  { value: 'yaml', label: 'YAML' },
] as const;

interface BodyProps extends AgentFormProps {
  readonly draft: DraftObject;
  readonly draftable: Draftable;
}

function MainFields({ node, namespace, system, isNew, facts, design, readOnly, draft, draftable }: BodyProps) {
  const models = useModels(draft.namespace, design);
  return (
    <div className="flex flex-col gap-4">
      <ModelPicker node={node.id} agent={draft} design={design} models={models} readOnly={readOnly} />
      <PromptEditor agent={draft} draftable={draftable} design={design} system={system} sources={node.sources} readOnly={readOnly} />
      <ToolList
        node={node.id}
        agent={draft}
        draftable={draftable}
        design={design}
        system={system}
        isNew={isNew}
        facts={facts?.tools ?? []}
        readOnly={readOnly}
      />
      <AgentSettings agent={draft} draftable={draftable} readOnly={readOnly} />
      {!draftable.edited && (
        <p className="text-sm">
          <Link href={simulatorAddress(namespace, { agent: node.id })}>Check access</Link>
        </p>
      )}
    </div>
  );
}

function FormBody(props: BodyProps & { readonly view: (typeof VIEWS)[number]['value'] }) {
  const { view, draft, draftable, readOnly } = props;
  if (view === 'main') {
    if (valueOfDraft(draft)) return <MainFields {...props} />;
    return <p className="text-danger">The YAML of {draft.name} cannot be read. Correct it under YAML, or undo.</p>;
  }
  const stored = draft.base && objectYaml(draft.base);
  const common = { kind: draft.kind, namespace: draft.namespace, readOnly, onChange: draftable.write };
  return (
    <Suspense fallback={<RoutePending />}>
      {view === 'all' ? (
        <KindForm {...common} text={draft.text} baseText={stored} className="-mx-6 overflow-visible" />
      ) : (
        <div className="flex h-[26rem] flex-col overflow-hidden rounded-md border border-border">
          <YamlEditor {...common} bare askServer={false} value={draft.text} label={`YAML of Agent ${draft.namespace}/${draft.name}`} />
        </div>
      )}
    </Suspense>
  );
}

export function AgentForm(props: AgentFormProps) {
  const { node, namespace, design } = props;
  const [view, setView] = useState<(typeof VIEWS)[number]['value']>('main');
  const draftable = useDraftable(design, { kind: 'Agent', ...parseRef(node.id, namespace) });
  const { draft, edited, overtaken } = draftable;
  // The main view takes what is given to the agent; an offer for it leads there.
  useOffer(node.id, () => {
    setView('main');
    return false;
  });
  if (!draft) return <Skeleton className="h-40 w-full" />;
  return (
    <section aria-label={`Agent ${node.id}`} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <SegmentedControl label="View of the agent" value={view} segments={VIEWS} onChange={setView} />
        <span className="flex-1" />
        {overtaken && <Badge tone="warn">{overtaken === 'deleted' ? 'Deleted meanwhile' : 'Changed meanwhile'}</Badge>}
        {edited && <Badge tone="accent">{draft.base ? 'Changed' : 'New'}</Badge>}
        {edited && draft.base && (
          <Button size="sm" icon={<RotateCcw />} onClick={draftable.revert}>
            Revert
          </Button>
        )}
      </div>
      <FormBody {...props} view={view} draft={draft} draftable={draftable} />
    </section>
  );
}
