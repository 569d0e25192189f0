// One tool of an MCP server. Unfolds to its description and schemas.
import type { Resource } from '@svc/shared/resource';
import { ChevronRight, FlaskConical } from 'lucide-react';
import { Suspense, useState } from 'react';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { specOf } from '../../../kinds/read.ts';
import { useScope } from '../../../navigation/scope.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { cn } from '../../../ui/cn.ts';
import { JsonTree } from '../../../ui/text/JsonTree.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';
import type { Tone } from '../../../ui/status/tone.ts';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import type { ToolRow as Row, ToolRowState } from '../model/tool-rows.ts';
import { ImportSwitch } from './ImportSwitch.tsx';

const TryDialog = lazyPart(async () => (await import('./TryDialog.tsx')).TryDialog);

const LOOKS: Readonly<Record<ToolRowState, { readonly label: string; readonly tone: Tone; readonly why: string }>> = {
  generated: { label: 'Generated', tone: 'ok', why: '' },
  filtered: { label: 'Filtered out', tone: 'neutral', why: 'spec.tool_filter.include does not name it. Its schema is not kept.' },
  missing: { label: 'Not imported', tone: 'warn', why: 'It has no Tool. The last error names clashes and refusals.' },
  unlisted: { label: 'Not listed', tone: 'warn', why: 'spec.tool_filter.include names it, and the server does not list it.' },
};
const RISKS: Readonly<Record<string, Tone>> = { medium: 'warn', high: 'danger', critical: 'danger' };
const counted = new Intl.NumberFormat('en');

export interface ToolRowProps {
  readonly server: Resource;
  readonly row: Row;
  /** Tokens of the most expensive tool. */
  readonly most: number;
}

export function ToolRow({ server, row, most }: ToolRowProps) {
  const { name, state, tool, tokens } = row;
  const { scope } = useScope();
  const { reason } = useCanWrite();
  const [open, setOpen] = useState(false);
  const [trying, setTrying] = useState(false);
  const { label, tone } = LOOKS[state];
  return (
    <li className="border-b border-border/60 px-4 last:border-b-0">
      <div className="grid grid-cols-[minmax(0,1fr)_7rem_9rem_4.5rem] items-center gap-x-3 py-1.5 max-sm:grid-cols-[minmax(0,1fr)_4.5rem]">
        <button
          type="button"
          aria-expanded={open}
          aria-label={`Details of ${name}`}
          onClick={() => setOpen(!open)}
          className="flex min-w-0 items-center gap-2 rounded-sm text-left"
        >
          <ChevronRight aria-hidden className={cn('size-3.5 shrink-0 text-faint transition-transform', open && 'rotate-90')} />
          <UntrustedText mono text={name} className="min-w-0" />
          {tool && <Governance tool={tool} />}
        </button>
        <span className="max-sm:order-3">
          <Badge tone={tone}>{label}</Badge>
        </span>
        <Share tokens={tokens} most={most} />
        {tool ? (
          <Button size="sm" icon={<FlaskConical />} disabledReason={reason} onClick={() => setTrying(true)} aria-label={`Try ${name}`}>
            Try
          </Button>
        ) : (
          <span />
        )}
      </div>
      {open && (
        <div className="flex flex-col gap-3 pb-3 pl-5.5">
          {tool ? <Details row={row} scope={scope} /> : <p className="text-muted">{LOOKS[state].why}</p>}
          {(state === 'generated' || state === 'filtered') && <ImportSwitch server={server} name={name} imported={state === 'generated'} />}
        </div>
      )}
      {trying && tool && (
        <Suspense>
          <TryDialog server={server.metadata.name} tool={tool} onClose={() => setTrying(false)} />
        </Suspense>
      )}
    </li>
  );
}

function Governance({ tool }: { readonly tool: NonNullable<Row['tool']> }) {
  const { risk_level: risk = 'low', operation_classes: classes = [] } = specOf('Tool', tool);
  return (
    <span className="flex shrink-0 items-center gap-1.5 text-sm text-muted">
      {classes.join(', ')}
      {Object.hasOwn(RISKS, risk) && <Badge tone={RISKS[risk] ?? 'neutral'}>{risk} risk</Badge>}
    </span>
  );
}

/** Estimated tokens, with a bar relative to the most expensive tool. */
function Share({ tokens, most }: { readonly tokens: number | undefined; readonly most: number }) {
  if (tokens === undefined) return <span className="text-right text-sm text-faint max-sm:hidden">–</span>;
  return (
    <span className="flex items-center justify-end gap-2 text-sm text-muted tabular-nums max-sm:hidden">
      <span aria-hidden className="h-1 w-12 overflow-hidden rounded-full bg-sunken">
        <span className="block h-full rounded-full bg-accent" style={{ width: `${Math.round((100 * tokens) / most)}%` }} />
      </span>
      <span className="min-w-18 text-right">{counted.format(tokens)} tokens</span>
    </span>
  );
}

function Details({ row: { name, tool }, scope }: { readonly row: Row; readonly scope: string }) {
  if (!tool) return null;
  const { description = '', input_schema: input, output_schema: output } = specOf('Tool', tool);
  const { namespace, name: toolName } = tool.metadata;
  return (
    <>
      {description !== '' && <UntrustedText block text={description} className="max-w-prose" />}
      <p className="text-muted">
        Tool{' '}
        <PeekLink object={{ kind: 'Tool', namespace, name: toolName }} scope={scope} className="font-mono text-sm underline">
          {toolName}
        </PeekLink>
      </p>
      <div className="grid grid-cols-2 gap-3 max-lg:grid-cols-1">
        <Schema title="Input" label={`Input schema of ${name}`} value={input} />
        {output !== undefined && <Schema title="Output" label={`Output schema of ${name}`} value={output} />}
      </div>
    </>
  );
}

function Schema({ title, label, value }: { readonly title: string; readonly label: string; readonly value: unknown }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <h3 className="text-sm font-medium">{title}</h3>
      {value === undefined ? (
        <p className="text-muted">No schema.</p>
      ) : (
        <JsonTree label={label} value={value} openDepth={3} className="max-h-80" />
      )}
    </div>
  );
}
