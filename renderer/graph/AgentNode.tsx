// The card of one agent on the canvas.
import { Handle, Position, type Node, type NodeProps } from '@xyflow/react';
import {
  Bot,
  Brain,
  CircleAlert,
  CircleDashed,
  Flag,
  Lock,
  LogIn,
  Merge,
  Pin,
  ShieldCheck,
  SkipForward,
  Skull,
  CircleSlash2,
  TriangleAlert,
} from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { cn } from '../ui/cn.ts';
import { SOFT, type Tone } from '../ui/status/tone.ts';
import { RISK_TONES, type AgentFacts, type ToolFact } from './agent-summary.ts';
import type { Direction } from './layout.ts';
import { NodeStateBar } from './NodeStateBar.tsx';
import type { NodeOverlay } from './overlay.ts';
import type { SystemNode } from './system-graph.ts';
import { markLabels, type NodeMarks } from './trial-marks.ts';

export interface AgentNodeData extends Record<string, unknown> {
  readonly node: SystemNode;
  readonly facts: AgentFacts | undefined;
  readonly overlay: NodeOverlay | undefined;
  /** Worst problem of the agent, and its message. */
  readonly problem: { readonly severity: 'error' | 'warning' | 'info'; readonly message: string } | undefined;
  /** Marks of the next trial; of a run's own trial on its page. */
  readonly marks: NodeMarks | undefined;
  readonly direction: Direction;
  readonly editable: boolean;
}

export type AgentNodeType = Node<AgentNodeData, 'agent'>;

const TOOLS_SHOWN = 2;
const FAILURE_SIGNS = {
  deadletter: { icon: Skull, words: 'A failed source ends the run as a dead letter' },
  skip: { icon: SkipForward, words: 'A failed source is left out' },
  continue_partial: { icon: CircleSlash2, words: 'Continues with the results so far once all sources have ended' },
} as const;

function Sign({
  tone,
  icon,
  title,
  children,
}: {
  readonly tone: Tone;
  readonly icon: ReactNode;
  readonly title: string;
  readonly children?: ReactNode;
}) {
  return (
    <span
      title={title}
      className={cn(
        'inline-flex h-6 items-center gap-1 rounded-full border border-current/20 px-1.5 text-md font-medium whitespace-nowrap [&_svg]:size-3.5',
        SOFT[tone],
      )}
    >
      {icon}
      {children}
    </span>
  );
}

function Signs({ node }: { readonly node: SystemNode }) {
  const failure = node.join && FAILURE_SIGNS[node.join.onFailure];
  return (
    <div className="absolute -top-3 left-3 flex gap-1">
      {node.entry && (
        <Sign tone="accent" icon={<LogIn />} title="A run starts here">
          Start
        </Sign>
      )}
      {node.join && failure && (
        <Sign tone="info" icon={<Merge />} title={`Waits for ${node.join.needed} of ${node.join.expected} sources. ${failure.words}.`}>
          {node.join.badge}
          <failure.icon aria-hidden />
        </Sign>
      )}
      {node.review && (
        <Sign tone="waiting" icon={<Lock />} title={`This output requires review${node.review.reason && `: ${node.review.reason}`}`} />
      )}
      {node.terminal && (
        <Sign
          tone="neutral"
          icon={node.finalReview ? <Lock /> : <Flag />}
          title={node.finalReview ? 'A run ends here, after a review' : 'A run ends here'}
        >
          End
        </Sign>
      )}
      {!node.reachable && (
        <Sign tone="warn" icon={<CircleDashed />} title="No path from an entry agent reaches this agent">
          Never runs
        </Sign>
      )}
    </div>
  );
}

const DOT = 'absolute z-10 size-4 rounded-full border-2 border-surface bg-danger-solid';
const DOTS = {
  LR: { before: '-left-2 top-2', after: '-right-2 top-2' },
  TB: { before: '-left-2 top-2', after: '-left-2 bottom-2' },
} as const;

/** Dots where a trial stops, before or after the agent, and a pin for a pinned output. */
function Marks({ marks, direction }: { readonly marks: NodeMarks; readonly direction: Direction }) {
  const { before, after, pin } = marks;
  const words = markLabels(marks).join(', ');
  return (
    <>
      {before && <span data-mark="before" title={words} className={cn(DOT, DOTS[direction].before)} />}
      {after && <span data-mark="after" title={words} className={cn(DOT, DOTS[direction].after)} />}
      {pin !== undefined && (
        <div data-mark="pin" className="absolute -top-3 right-3">
          <Sign tone="info" icon={<Pin />} title={words}>
            {pin === 'spec' ? 'Pinned' : 'Reused'}
          </Sign>
        </div>
      )}
    </>
  );
}

function ToolChip({ tool }: { readonly tool: ToolFact }) {
  const tone = tool.missing ? 'danger' : (RISK_TONES[tool.risk ?? ''] ?? 'neutral');
  const status = tool.missing ? 'does not exist' : tool.risk === undefined ? 'no risk level' : `${tool.risk} risk`;
  return (
    <span
      title={`${tool.name}: ${status}`}
      className={cn('inline-flex h-5.5 min-w-0 items-center gap-1 rounded-xs px-1 text-md', SOFT[tone])}
    >
      <span aria-hidden className={cn('size-1.5 shrink-0 rounded-full bg-current', tool.missing && 'rounded-none')} />
      <span className="truncate">{tool.name}</span>
    </span>
  );
}

function Facts({ facts }: { readonly facts: AgentFacts | undefined }) {
  if (facts === undefined || facts.state === 'loading') return <span className="h-3 w-24 animate-shimmer rounded-xs bg-neutral-soft" />;
  if (facts.state === 'missing') {
    return (
      <span className="flex items-center gap-1 text-md text-danger">
        <CircleAlert aria-hidden className="size-3.5" /> There is no such agent
      </span>
    );
  }
  if (facts.state === 'unread') return <span className="truncate text-md text-muted">Could not be read</span>;
  const { tools, model } = facts;
  return (
    <>
      <span className="truncate text-md text-muted">{model ?? 'no model'}</span>
      <span className="flex min-w-0 items-center gap-1">
        {tools.length === 0 && <span className="text-md text-faint">No tools</span>}
        {tools.slice(0, TOOLS_SHOWN).map((tool) => (
          <ToolChip key={tool.name} tool={tool} />
        ))}
        {tools.length > TOOLS_SHOWN && (
          <span
            className="shrink-0 text-md text-muted"
            title={tools
              .slice(TOOLS_SHOWN)
              .map(({ name }) => name)
              .join(', ')}
          >
            +{tools.length - TOOLS_SHOWN}
          </span>
        )}
      </span>
    </>
  );
}

/** Looks inactive by its border and background; the text keeps its contrast. */
const RESTING = 'border-border bg-sunken shadow-none';

const RINGS: Readonly<Record<NodeOverlay['state'], string>> = {
  idle: RESTING,
  running: 'border-running ring-2 ring-running/35',
  waiting: 'border-waiting ring-2 ring-waiting/35',
  succeeded: 'border-ok',
  failed: 'border-danger ring-2 ring-danger/30',
  denied: 'border-warn',
  cancelled: 'border-border-strong',
  skipped: cn(RESTING, 'border-dashed'),
};

function frame({ node, facts, overlay, problem }: AgentNodeData): string {
  if (overlay) return RINGS[overlay.state];
  if (facts?.state === 'missing' || !node.listed || problem?.severity === 'error') return 'border-danger';
  if (problem) return 'border-warn';
  return node.reachable ? 'border-border-strong/45' : 'border-dashed border-border-strong/60';
}

export const AgentNode = memo(function AgentNode({ data, selected, isConnectable }: NodeProps<AgentNodeType>) {
  const { node, facts, overlay, problem, marks, direction, editable } = data;
  const [into, out] = direction === 'LR' ? [Position.Left, Position.Right] : [Position.Top, Position.Bottom];
  const handle = cn('system-handle', !editable && 'system-handle-quiet');
  return (
    <div
      className={cn(
        'relative flex size-full flex-col gap-1 rounded-lg border bg-surface px-3 pt-4 pb-2 text-left text-md shadow-raised transition-colors',
        frame(data),
        selected && 'outline-2 outline-offset-2 outline-accent',
      )}
    >
      <Handle type="target" position={into} isConnectable={isConnectable} className={handle} />
      <Signs node={node} />
      {marks && <Marks marks={marks} direction={direction} />}
      <div className="flex min-w-0 items-center gap-1.5">
        <Bot aria-hidden className="size-3.5 shrink-0 text-faint" />
        <span className="min-w-0 flex-1 truncate text-[0.9375rem] font-semibold text-text" title={node.id}>
          {node.id}
        </span>
        {facts && facts.roles.length > 0 && (
          <span title={`Roles: ${facts.roles.join(', ')}`} className="text-info">
            <ShieldCheck aria-hidden className="size-3.5" />
          </span>
        )}
        {facts?.memory !== undefined && (
          <span title={`Memory: ${facts.memory}`} className="text-muted">
            <Brain aria-hidden className="size-3.5" />
          </span>
        )}
        {problem && (
          <span title={problem.message} className={problem.severity === 'error' ? 'text-danger' : 'text-warn'}>
            <TriangleAlert aria-hidden className="size-3.5" />
          </span>
        )}
      </div>
      <Facts facts={facts} />
      {overlay && <NodeStateBar overlay={overlay} />}
      <Handle type="source" position={out} isConnectable={isConnectable} className={handle} />
    </div>
  );
});
