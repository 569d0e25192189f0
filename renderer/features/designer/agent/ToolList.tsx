// The tools of an agent: each with its risk and its verdict by governance. Tools are added from the namespace or made from a template.
import { parseRef } from '@svc/shared/resource';
import { Plus, ShieldCheck, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { RISK_TONES, type ToolFact } from '../../../graph/agent-summary.ts';
import { specOf } from '../../../kinds/read.ts';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { useScope } from '../../../navigation/scope.ts';
import { DecidedBy, VerdictBadge } from '../../simulator/parts/verdict.tsx';
import { CannotRun } from '../../explorer/parts/ToolProblem.tsx';
import { draftId, newDraft, specOfDraft, withDraft, withField, type DraftObject } from '../document/drafts.ts';
import type { Design } from '../document/use-design.ts';
import { TOOL_TEMPLATES, toolSpec, type NewTool, type ToolTemplate } from './catalogue.ts';
import { ALLOWED, approvalRuleOf, TOOLS, withApproval, withoutApproval, withoutTool } from './tool-drafts.ts';
import { ToolPicker } from './ToolPicker.tsx';
import type { Draftable } from './use-draftable.ts';
import { useOffer } from './use-offer.ts';
import { useVerdicts } from './use-verdicts.ts';

export interface ToolListProps {
  /** The agent as the system names it. */
  readonly node: string;
  readonly agent: DraftObject;
  readonly draftable: Draftable;
  readonly design: Design;
  readonly system: string;
  readonly isNew: boolean;
  readonly facts: readonly ToolFact[];
  readonly readOnly: boolean;
}

interface RowProps {
  readonly tool: string;
  readonly list: ToolListProps;
  readonly verdict: ReturnType<typeof useVerdicts> extends ReadonlyMap<string, infer Answer> ? Answer | undefined : never;
  readonly onRemove: () => void;
  readonly onAllow: () => void;
  readonly onApproval: (required: boolean) => void;
}

function ToolRow({ tool, list, verdict, onRemove, onAllow, onApproval }: RowProps) {
  const { agent, design, facts, readOnly } = list;
  const key = { kind: 'Tool', ...parseRef(tool, agent.namespace) };
  const drafted = design.drafts.has(draftId(key));
  const fact = facts.find(({ name }) => name === tool);
  const missing = fact?.missing === true && !drafted;
  const ruled = approvalRuleOf(design.drafts, agent, tool) !== undefined;
  const { scope } = useScope();
  return (
    <li className="flex min-h-8 flex-wrap items-center gap-1.5 rounded-md border border-border bg-surface py-1 pr-1 pl-2.5">
      {drafted ? (
        <span className="min-w-0 truncate font-mono text-sm">
          {tool} <span className="text-accent-text">new</span>
        </span>
      ) : (
        <PeekLink object={key} className="min-w-0 truncate font-mono text-sm">
          {tool}
        </PeekLink>
      )}
      <Badge tone={missing ? 'danger' : (RISK_TONES[fact?.risk ?? ''] ?? 'neutral')}>
        {missing ? 'missing' : (fact?.risk ?? 'no risk level')}
      </Badge>
      {verdict && <VerdictBadge answer={verdict} />}
      {!missing && !drafted && <CannotRun tool={key} />}
      <span className="flex-1" />
      {!readOnly && verdict?.verdict === 'deny' && !missing && (
        <Button size="sm" icon={<ShieldCheck />} title="Lists it in allowed_tools of this agent" onClick={onAllow}>
          Allow here
        </Button>
      )}
      {!readOnly && <IconButton size="sm" label={`Remove ${tool}`} icon={<X />} onClick={onRemove} />}
      {verdict && (
        <span className="flex min-w-0 basis-full items-center gap-1.5 pr-1.5">
          <span className="min-w-0 flex-1 truncate">
            <DecidedBy answer={verdict} scope={scope} />
          </span>
          {!readOnly && (ruled || verdict.verdict === 'allow') && !missing && (
            <Button
              size="sm"
              variant="link"
              title={ruled ? undefined : 'Creates a ToolPermission by which a person approves each call of this agent'}
              onClick={() => onApproval(!ruled)}
            >
              {ruled ? 'Require no approval' : 'Require approval'}
            </Button>
          )}
        </span>
      )}
    </li>
  );
}

export function ToolList(props: ToolListProps) {
  const { node, agent, draftable, design, system, isNew, readOnly } = props;
  /** The template that the open picker begins with, if any. */
  const [picking, setPicking] = useState<{ readonly first: ToolTemplate | undefined }>();
  const { tools = [], allowed_tools: allowed = [] } = specOf('Agent', { spec: specOfDraft(agent) });
  const listed = [...new Set([...tools, ...allowed])];
  const key = listed.join(' ');
  const all = useMemo(() => key.split(' ').filter((each) => each !== ''), [key]);
  const verdicts = useVerdicts(agent, { design, system, isNew, tools: all });
  const add = (tool: string) => {
    setPicking(undefined);
    if (!all.includes(tool)) draftable.set(TOOLS, [...tools, tool], { label: `Give ${tool} to ${agent.name}` });
  };
  const make = (name: string, made: NewTool) => {
    setPicking(undefined);
    design.edit(`Create the tool ${name}`, ({ drafts }) => {
      const before = drafts.get(draftId(agent)) ?? agent;
      const tool = newDraft({ kind: 'Tool', namespace: agent.namespace, name }, toolSpec(made));
      return { drafts: withDraft(withDraft(drafts, tool), withField(before, TOOLS, [...tools, name])) };
    });
  };
  useOffer(node, (item) => {
    if (item.kind === 'tool') add(item.ref);
    else if (item.kind === 'tool-template') setPicking({ first: TOOL_TEMPLATES.find(({ id }) => id === item.id) });
    return item.kind === 'tool' || item.kind === 'tool-template';
  });
  return (
    <section aria-label="Tools" className="flex flex-col gap-1.5">
      <header className="flex items-center gap-2">
        <h3 className="flex-1 text-sm font-medium">Tools</h3>
        {!readOnly && (
          <Button size="sm" icon={<Plus />} onClick={() => setPicking({ first: undefined })}>
            Add tool
          </Button>
        )}
      </header>
      {all.length === 0 && <p className="text-sm text-muted">None. It answers from its prompt and its input alone.</p>}
      {all.length > 0 && (
        <ul className="flex flex-col gap-1">
          {all.map((tool) => (
            <ToolRow
              key={tool}
              tool={tool}
              list={props}
              verdict={verdicts.get(tool)}
              onRemove={() =>
                design.edit(`Take ${tool} from ${agent.name}`, ({ drafts }) => ({ drafts: withoutTool(drafts, agent, tool) }))
              }
              onAllow={() => draftable.set(ALLOWED, [...allowed, tool], { label: `Allow ${tool} for ${agent.name}` })}
              onApproval={(required) =>
                design.edit(`${required ? 'Require' : 'Stop requiring'} approval of ${tool}`, ({ drafts }) => ({
                  drafts: (required ? withApproval : withoutApproval)(drafts, agent, tool),
                }))
              }
            />
          ))}
        </ul>
      )}
      <ToolPicker
        open={picking !== undefined}
        first={picking?.first}
        agent={agent}
        design={design}
        has={all}
        onPick={add}
        onMake={make}
        onClose={() => setPicking(undefined)}
      />
    </section>
  );
}
