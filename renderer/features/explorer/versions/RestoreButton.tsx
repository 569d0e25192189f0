// Restores a version: the old spec in the object as it is now, reviewed like any other edit and written as an ordinary update.
import type { Resource } from '@svc/shared/resource';
import { RotateCcw } from 'lucide-react';
import { useMemo, useState } from 'react';
import { sameForEditing } from '../../../editor/apply-plan.ts';
import { ApplyPreview } from '../../../editor/ApplyPreview.tsx';
import { useApply } from '../../../editor/use-apply.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { toastDone } from '../../../ui/overlay/toast.ts';
import { objectYaml } from '../../../yaml/serialise.ts';

export interface RestoreButtonProps {
  readonly resource: Resource;
  readonly version: { readonly generation: number; readonly spec: Resource['spec'] };
}

const WORDS = { verb: 'Restore', back: 'Cancel' };
const CHANGED = 'Somebody else changed this object meanwhile. Review the restore again.';

export function RestoreButton({ resource, version }: RestoreButtonProps) {
  const { reason } = useCanWrite();
  const { kind, metadata } = resource;
  const { namespace, name } = metadata;
  const target = useMemo(() => ({ kind, namespace, name }), [kind, namespace, name]);
  // The state that a review is based on stays until the review ends.
  const [base, setBase] = useState(resource);
  const text = useMemo(() => objectYaml({ ...base, spec: version.spec }), [base, version.spec]);
  const applying = useApply({
    target,
    text,
    base,
    onRebase: setBase,
    onApplied: (_, action) =>
      toastDone(action === 'unchanged' ? `${name} has this spec already` : `${name} is restored to version ${version.generation}`),
  });
  const { state, failure, unsure, review, write, back } = applying;
  const overtaken = !sameForEditing(resource, base);
  if (state.step === 'editing' && base !== resource) setBase(resource);
  const problems = failure?.details.map(({ path, message }) => `${path} ${message}`).join('; ');
  return (
    <>
      <Button size="sm" icon={<RotateCcw />} busy={state.step === 'asking'} disabledReason={reason} onClick={review}>
        Restore version {version.generation}…
      </Button>
      {(state.step === 'preview' || state.step === 'writing') && (
        <ApplyPreview
          preview={state.preview}
          stored={base}
          writing={state.step === 'writing'}
          disabledReason={reason}
          words={WORDS}
          onLookAgain={overtaken ? back : undefined}
          onApply={write}
          onClose={back}
        />
      )}
      {state.step === 'conflict' && (
        <span role="alert" className="flex items-center gap-2 text-sm text-warn">
          {CHANGED}
          <Button size="sm" onClick={back}>
            Understood
          </Button>
        </span>
      )}
      {failure && (
        <div className="basis-full">
          <ErrorCard
            error={problems === undefined || problems === '' ? failure : { ...failure, message: `${failure.message} ${problems}` }}
            title={unsure ? 'Whether it was restored is not known yet' : `Version ${version.generation} was not restored`}
            onRetry={review}
          />
        </div>
      )}
    </>
  );
}
