// The head of an object's page: identity, state, actions.
import { phaseOf, type Resource } from '@svc/shared/resource';
import { Pencil } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { kindAddress } from '../../../navigation/addresses.ts';
import { useCanEdit, useCanWrite } from '../../../sign-in/can-write.ts';
import { isCallable } from '../../../kinds/kind-table.ts';
import { generationWord, kindTitle, kindsTitle } from '../../../kinds/kind-titles.ts';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { Link } from '../../../ui/link/Link.tsx';
import { LinkButton } from '../../../ui/button/LinkButton.tsx';
import { Menu } from '../../../ui/overlay/Menu.tsx';
import { hasLifecycle } from '../../../ui/status/phases.ts';
import { PageHeader } from '../../../ui/layout/PageHeader.tsx';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { MoreButton } from '../MoreButton.tsx';
import { kindWord } from '../object-text.ts';
import { CannotRun } from '../parts/ToolProblem.tsx';
import { SuspendButton } from '../parts/SuspendButton.tsx';
import { useCopyCommands } from '../parts/use-copy-commands.ts';
import { canSuspend, isEditable, isSuspended, refOf, SUSPEND_SHORTCUT, suspendReasonOf } from '../object-traits.ts';
import type { ObjectActions } from '../parts/use-object-actions.tsx';
import { primaryAction } from './primary-action.ts';

/** With more, the page would start far below its head. */
const LABELS_SHOWN = 8;

export interface ObjectHeaderProps {
  readonly kind: KindSummary;
  readonly resource: Resource;
  readonly scope: string;
  /** Absent once the object is gone. */
  readonly actions: ObjectActions | undefined;
  readonly onEdit: () => void;
}

export function ObjectHeader({ kind, resource, scope, actions, onEdit }: ObjectHeaderProps) {
  const { metadata } = resource;
  return (
    <PageHeader
      crumbs={[{ label: kindsTitle(kind), href: kindAddress(scope, kind.kind) }, { label: metadata.namespace }]}
      title={metadata.name}
      status={
        <>
          {actions === undefined && <Badge tone="danger">Deleted</Badge>}
          {hasLifecycle(kind.phases) && <PhasePill phase={phaseOf(resource)} kind={kind.kind} />}
          {isCallable(kind.kind) && actions !== undefined && <CannotRun tool={refOf(resource)} />}
          {isSuspended(resource) && phaseOf(resource) !== 'Suspended' && <Badge>Suspended</Badge>}
        </>
      }
      meta={<Meta kind={kind} resource={resource} scope={scope} />}
      actions={actions && <Actions kind={kind} resource={resource} scope={scope} actions={actions} onEdit={onEdit} />}
    />
  );
}

function Meta({ kind, resource, scope }: Pick<ObjectHeaderProps, 'kind' | 'resource' | 'scope'>) {
  const { metadata } = resource;
  return (
    <>
      <span>{kindTitle(kind)}</span>
      {suspendReasonOf(resource) !== '' && (
        <span className="text-text [overflow-wrap:anywhere]">
          Suspended: <UntrustedText text={suspendReasonOf(resource)} />
        </span>
      )}
      <span>
        created <Time at={metadata.createdAt} sentence />
        {metadata.createdBy !== undefined && <> by {metadata.createdBy}</>}
      </span>
      {metadata.updatedAt !== metadata.createdAt && (
        <span>
          changed <Time at={metadata.updatedAt} sentence />
          {metadata.updatedBy !== undefined && <> by {metadata.updatedBy}</>}
        </span>
      )}
      <span title={`The ${generationWord(kind)} counts changes of the specification, the resource version every write`}>
        {generationWord(kind)} {metadata.generation}, resource version {metadata.resourceVersion}
      </span>
      <Labels kind={kind} labels={metadata.labels} scope={scope} />
    </>
  );
}

interface LabelsProps extends Pick<ObjectHeaderProps, 'kind' | 'scope'> {
  readonly labels: Readonly<Record<string, string>>;
}

function Labels({ kind, labels, scope }: LabelsProps) {
  const [all, setAll] = useState(false);
  const next = useRef<HTMLAnchorElement>(null);
  // The pressed button is gone.
  useEffect(() => {
    if (all) next.current?.focus();
  }, [all]);
  const entries = Object.entries(labels);
  const shown = all || entries.length <= LABELS_SHOWN + 1 ? entries : entries.slice(0, LABELS_SHOWN);
  return (
    <>
      {shown.map(([key, value], index) => (
        <Link
          key={key}
          look="bare"
          ref={index === LABELS_SHOWN ? next : undefined}
          href={kindAddress(scope, kind.kind, { labels: `${key}=${value}` })}
          title={`All ${kindWord(kind.kind, 2)} with ${key}=${value}`}
          className="block max-w-full truncate rounded-sm border border-border bg-surface px-1.5 font-mono text-xs leading-4.5 text-text hover:border-border-strong"
        >
          {key}={value}
        </Link>
      ))}
      {shown.length < entries.length && (
        <Button variant="link" size="sm" onClick={() => setAll(true)}>
          Show all {entries.length} labels
        </Button>
      )}
    </>
  );
}

/** The actions of the page for the palette. */
function useObjectShortcuts({ kind, resource, actions, onEdit }: ActionsProps): void {
  const { reason } = useCanWrite();
  const { reason: noEdit } = useCanEdit();
  const suspended = isSuspended(resource);
  const { name } = resource.metadata;
  const only = [resource];
  const can = reason === undefined;
  useShortcut({ id: 'object.edit', label: `Edit ${name}`, when: noEdit === undefined && isEditable(kind.kind), run: onEdit });
  useShortcut({
    id: SUSPEND_SHORTCUT,
    label: `${suspended ? 'Resume' : 'Suspend'} ${name}${suspended ? '' : '…'}`,
    when: can && canSuspend(kind),
    run: () => actions.ask(suspended ? 'resume' : 'suspend', only),
  });
  useShortcut({
    id: 'object.rename',
    keys: 'f2',
    label: `Rename ${name}…`,
    when: can && kind.renamable,
    run: () => actions.ask('rename', only),
  });
  useShortcut({ id: 'object.labels', label: `Edit labels of ${name}…`, when: can, run: () => actions.ask('labels', only) });
  useShortcut({ id: 'object.export', label: `Export ${name} as YAML`, run: () => void actions.exportYaml(only) });
  useCopyCommands(refOf(resource));
  useShortcut({ id: 'object.delete', label: `Delete ${name}…`, when: can, run: () => actions.ask('delete', only) });
}

interface ActionsProps extends Omit<ObjectHeaderProps, 'actions'> {
  readonly actions: ObjectActions;
}

function Actions(props: ActionsProps) {
  const { kind, resource, scope, actions, onEdit } = props;
  useObjectShortcuts(props);
  const { reason } = useCanWrite();
  const { reason: noEdit } = useCanEdit();
  const primary = primaryAction(refOf(resource), scope);
  const pausing = canSuspend(kind);
  return (
    <>
      {pausing && <SuspendButton resource={resource} ask={actions.ask} />}
      {primary?.second && <LinkButton href={primary.href}>{primary.label}</LinkButton>}
      {isEditable(kind.kind) && (
        <Button
          variant={(primary && !primary.second) || pausing || kind.writeOnly ? 'secondary' : 'primary'}
          icon={<Pencil />}
          disabledReason={noEdit}
          onClick={onEdit}
        >
          Edit
        </Button>
      )}
      {primary && !primary.second && (
        <LinkButton variant="primary" href={primary.href} disabledReason={primary.creates ? reason : undefined}>
          {primary.label}
        </LinkButton>
      )}
      <Menu
        align="end"
        trigger={<MoreButton label="More actions" className="size-control" />}
        items={actions
          .menuOf(resource)
          .filter((item) => !(typeof item === 'object' && 'id' in item && ['edit', 'suspend'].includes(item.id)))}
      />
    </>
  );
}
