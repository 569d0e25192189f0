// A rule that decides calls such as this one from now on: the choice of its scope, its effect by the server's own judge, and the way to the import that
// applies it.
import { parseRef, type Resource } from '@svc/shared/resource';
import { useQuery } from '@tanstack/react-query';
import { ArrowRight, PencilLine } from 'lucide-react';
import { useState } from 'react';
import { specOf } from '../../../kinds/read.ts';
import { api } from '../../../live/api.ts';
import { pageAddress } from '../../../navigation/addresses.ts';
import { useScope } from '../../../navigation/scope.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { RadioGroup } from '../../../ui/input/RadioGroup.tsx';
import { useNavigation } from '../../../ui/link/navigation.ts';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { CodeBlock } from '../../../ui/text/CodeBlock.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { toYaml } from '../../../yaml/serialise.ts';
import { handOver } from '../../explorer/model/sources.ts';
import { DecidedBy, VerdictBadge } from '../../simulator/parts/verdict.tsx';
import { parseRule, type ToolApproval } from '../model/approval.ts';
import { alwaysRules, type AlwaysRule } from './always-rules.ts';
import { useAlwaysEffects, type CallEffect } from './use-always-effects.ts';

export interface AlwaysDialogProps {
  readonly approval: ToolApproval;
  /** Operation classes of the tool. */
  readonly operations: readonly string[];
  readonly onClose: () => void;
}

/** The permission that requires the approval, and the system of the run. */
function useAlwaysRules({ approval, operations }: Pick<AlwaysDialogProps, 'approval' | 'operations'>) {
  const rule = parseRule(approval.rule);
  const key = { kind: 'ToolPermission', namespace: rule?.namespace ?? '', name: rule?.name ?? '' };
  const asks = rule?.kind === 'ToolPermission';
  const permission = useQuery({ ...api.resources.get.queryOptions(key, { retry: false }), enabled: asks });
  const task = useQuery(api.resources.get.queryOptions({ kind: 'Task', ...approval.task, brief: true }, { retry: false }));
  const system = task.data && systemOf(task.data);
  const loading = (asks && permission.isPending) || task.isPending;
  const rules = loading ? [] : alwaysRules({ approval, operations, permission: permission.data, system });
  return { rules, loading, unread: asks ? permission.error : null };
}

const systemOf = (task: Resource) => parseRef(specOf('Task', task).system, task.metadata.namespace);

export function AlwaysDialog({ approval, operations, onClose }: AlwaysDialogProps) {
  const { rules, loading, unread } = useAlwaysRules({ approval, operations });
  const { reason } = useCanWrite();
  const { namespace } = approval;
  const { go } = useNavigation();
  const [chosen, setChosen] = useState<string>();
  const rule = rules.find(({ id }) => id === chosen);
  const effects = useAlwaysEffects(approval, rule);
  const review = () => {
    if (!rule) return;
    handOver({ sources: [{ name: rule.label, text: textOf(rule) }], refused: [] });
    go(pageAddress(namespace, 'import'));
  };
  const unchecked = rule === undefined ? 'Choose a rule first' : effects.data ? undefined : 'The server has not checked this rule';
  return (
    <Dialog
      open
      onClose={onClose}
      size="lg"
      title={`Decide ${approval.tool.name} by a rule`}
      description="For future calls. This call still waits for your decision."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" icon={<PencilLine />} disabledReason={reason ?? unchecked} onClick={review}>
            Review and apply…
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {loading && <Skeleton className="h-40 w-full rounded-lg" />}
        {unread !== null && <ErrorCard error={unread} title="The rule that requires the approval could not be read" />}
        {rules.length > 0 && (
          <RadioGroup
            label="Rule"
            value={rule?.id ?? ''}
            options={rules.map(({ id, label, hint }) => ({ value: id, label, hint }))}
            onChange={setChosen}
          />
        )}
        {rule && (
          <>
            <Effects approval={approval} rule={rule} effects={effects} />
            <details className="text-sm">
              <summary className="cursor-pointer rounded-xs text-muted">YAML of the rule</summary>
              <CodeBlock label="YAML of the rule" text={textOf(rule)} fileName="rule.yaml" className="mt-2" />
            </details>
          </>
        )}
      </div>
    </Dialog>
  );
}

const textOf = ({ documents }: AlwaysRule): string => documents.map(toYaml).join('---\n');

interface EffectsProps {
  readonly approval: ToolApproval;
  readonly rule: AlwaysRule;
  readonly effects: ReturnType<typeof useAlwaysEffects>;
}

function Effects({ approval, rule, effects: { data, error, isFetching, refetch } }: EffectsProps) {
  if (error && !data) return <ErrorCard error={error} title="The effect of the rule could not be read" onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-20 w-full rounded-lg" />;
  const [own] = data;
  return (
    <section aria-label="Effect of the rule" aria-busy={isFetching} className="rounded-lg border border-border">
      <h3 className="border-b border-border px-4 py-2 font-medium">
        {data.length === 1 ? 'This call' : `This call and ${data.length - 1} more that waited for approval`}
      </h3>
      {own && own.then.verdict !== rule.verdict && (
        <Banner tone="warn">
          The rule does not decide this call: <UntrustedText text={own.then.message} />
        </Banner>
      )}
      <ul className="divide-y divide-border">
        {data.map((effect) => (
          <Effect key={effect.call.uid} effect={effect} own={effect.call.uid === approval.uid} />
        ))}
      </ul>
    </section>
  );
}

function Effect({ effect: { call, now, then }, own }: { readonly effect: CallEffect; readonly own: boolean }) {
  const { scope } = useScope();
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <span className="min-w-0 flex-1 basis-48 [overflow-wrap:anywhere]">
        {own ? 'This call' : call.task.name} <span className="text-sm text-muted">by {call.agent}</span>
      </span>
      <span className="flex items-center gap-2">
        <VerdictBadge answer={now} />
        <ArrowRight aria-hidden className="size-3.5 text-muted" />
        <span className="sr-only">becomes</span>
        <VerdictBadge answer={then} />
      </span>
      <span className="basis-full sm:basis-auto">
        <DecidedBy answer={then} scope={scope} />
      </span>
    </li>
  );
}
