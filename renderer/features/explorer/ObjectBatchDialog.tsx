// Progress of a batch over objects. An object that was deleted and created again meanwhile was skipped, and is one link away.
import type { Resource } from '@svc/shared/resource';
import { objectAddress } from '../../navigation/addresses.ts';
import { useScope } from '../../navigation/scope.ts';
import { BatchDialog } from '../../ui/table/BatchDialog.tsx';
import { Link } from '../../ui/link/Link.tsx';
import { isAnotherObject } from '../../ui/feedback/shown-error.ts';
import type { Batch, BatchProgress } from '../../ui/table/use-batch.ts';
import { keyText, refOf } from './object-traits.ts';

export interface ObjectBatchDialogProps {
  readonly title: string;
  readonly resources: readonly Resource[];
  readonly batch: Batch<Resource, unknown>;
  readonly progress: BatchProgress<unknown>;
  readonly onClose: () => void;
}

export function ObjectBatchDialog({ title, resources, batch, progress, onClose }: ObjectBatchDialogProps) {
  const { scope } = useScope();
  const addressOf = (key: string) => {
    const found = resources.find((each) => keyText(each) === key);
    return found && objectAddress(refOf(found), scope);
  };
  return (
    <BatchDialog
      title={title}
      items={resources.map((each) => ({ key: keyText(each), name: each.metadata.name }))}
      batch={batch}
      progress={progress}
      onClose={onClose}
      resultOf={(result) => result === 'gone' && <span className="text-muted">was already deleted</span>}
      wayOutOf={(key, error) => {
        const href = isAnotherObject(error) ? addressOf(key) : undefined;
        return (
          href !== undefined && (
            <Link href={href} onClick={onClose}>
              Open the new one
            </Link>
          )
        );
      }}
    />
  );
}
