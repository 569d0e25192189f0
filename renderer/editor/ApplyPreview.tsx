// The last review before a write: the stored object, the new one, and the server's adjustments.
import type { Resource } from '@svc/shared/resource';
import { useMemo } from 'react';
import { isWriteOnly } from '../kinds/kind-table.ts';
import { Banner } from '../ui/feedback/Banner.tsx';
import { Button } from '../ui/button/Button.tsx';
import { Dialog } from '../ui/overlay/Dialog.tsx';
import { UntrustedText } from '../ui/text/UntrustedText.tsx';
import type { Adjustment } from './apply-plan.ts';
import { DiffView } from './DiffView.tsx';
import { editable, inOrderOf, toYaml } from '../yaml/serialise.ts';
import type { Preview } from './use-apply.ts';

export interface ApplyPreviewProps {
  readonly preview: Preview;
  /** The stored object; undefined for a new one. */
  readonly stored: Resource | undefined;
  readonly writing: boolean;
  readonly disabledReason: string | undefined;
  /** Labels of the write and of the way back, where the text is not a draft of the user. */
  readonly words?: { readonly verb: string; readonly back: string };
  /** Present when the object changed while this was open. */
  readonly onLookAgain: (() => void) | undefined;
  readonly onApply: () => void;
  readonly onClose: () => void;
}

const ADJUSTMENTS_SHOWN = 8;

function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function AdjustmentLine({ adjustment }: { readonly adjustment: Adjustment }) {
  const { path, what, written, stored } = adjustment;
  return (
    <li className="text-sm text-muted">
      <code className="font-mono text-text">
        <UntrustedText text={path} />
      </code>{' '}
      {what === 'added' && (
        <>
          is set to <UntrustedText mono text={valueText(stored)} /> by default
        </>
      )}
      {what === 'changed' && (
        <>
          is stored as <UntrustedText mono text={valueText(stored)} />, not <UntrustedText mono text={valueText(written)} />
        </>
      )}
      {what === 'left out' && <>is left out, because it is empty</>}
    </li>
  );
}

function Adjustments({ list }: { readonly list: readonly Adjustment[] }) {
  if (list.length === 0) return null;
  return (
    <section aria-label="Server-side result">
      <h3 className="text-sm font-medium text-text">Server-side result</h3>
      <ul className="mt-1 flex max-h-32 flex-col gap-0.5 overflow-auto">
        {list.slice(0, ADJUSTMENTS_SHOWN).map((adjustment) => (
          <AdjustmentLine key={adjustment.path} adjustment={adjustment} />
        ))}
        {list.length > ADJUSTMENTS_SHOWN && (
          <li className="text-sm text-muted">and {list.length - ADJUSTMENTS_SHOWN} more, in the comparison below</li>
        )}
      </ul>
    </section>
  );
}

/** A Secret's keys show that they are set, never their values. */
const shown = (resource: Resource) => (isWriteOnly(resource.kind) ? { ...editable(resource), spec: resource.spec } : editable(resource));

const STALE = 'Somebody else changed this object meanwhile; review it again first';

function Stale({ onLookAgain }: { readonly onLookAgain: () => void }) {
  return (
    <Banner
      tone="warn"
      className="rounded-md"
      action={
        <Button size="sm" onClick={onLookAgain}>
          Review again
        </Button>
      }
    >
      Somebody else changed this object. The stored version differs from the one below.
    </Banner>
  );
}

export function ApplyPreview({ preview, stored, writing, disabledReason, words, onLookAgain, onApply, onClose }: ApplyPreviewProps) {
  const { result, action, warnings, crdManaged } = preview;
  const { kind, metadata } = result;
  const before = useMemo(() => (stored ? toYaml(shown(stored)) : ''), [stored]);
  const after = useMemo(() => toYaml(inOrderOf(shown(result), stored && shown(stored))), [result, stored]);
  const { verb, back } = words ?? { verb: stored ? 'Apply' : 'Create', back: 'Keep editing' };
  // During the write the server decides which change came first.
  const stale = onLookAgain !== undefined && !writing;
  const unchanged = action === 'unchanged';
  return (
    <Dialog
      open
      size="xl"
      closable={!writing}
      onClose={onClose}
      title={`${verb} ${kind} ${metadata.namespace}/${metadata.name}`}
      description={unchanged ? 'No changes: the server already has this version.' : 'The server will store this. Nothing is written yet.'}
      footer={
        <>
          <Button onClick={onClose} disabled={writing}>
            {back}
          </Button>
          <Button variant="primary" busy={writing} disabledReason={disabledReason ?? (stale ? STALE : undefined)} onClick={onApply}>
            {verb}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {stale && <Stale onLookAgain={onLookAgain} />}
        {crdManaged && (
          <Banner tone="warn" className="rounded-md">
            This object is managed by a Kubernetes resource. Changes made here are overwritten when that is applied again.
          </Banner>
        )}
        {warnings.map((warning) => (
          <Banner key={warning} tone="info" className="rounded-md">
            <UntrustedText text={warning} />
          </Banner>
        ))}
        <Adjustments list={preview.adjustments} />
        <DiffView
          label="Stored now and after this"
          before={before}
          after={after}
          beforeLabel={stale ? 'Stored before' : stored ? 'Stored now' : 'Nothing yet'}
          afterLabel="After this"
          initialLayout={stored ? 'split' : 'unified'}
          className="h-[min(50vh,30rem)]"
        />
      </div>
    </Dialog>
  );
}
