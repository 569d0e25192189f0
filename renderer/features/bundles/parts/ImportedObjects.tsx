// Result of the import of a bundle, with the way to its system.
import { CircleCheck } from 'lucide-react';
import { objectAddress } from '../../../navigation/addresses.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { LinkButton } from '../../../ui/button/LinkButton.tsx';
import type { ImportedObject } from '../model/bundle-import.ts';

export interface ImportedObjectsProps {
  readonly system: { readonly namespace: string; readonly name: string };
  readonly results: readonly ImportedObject[];
}

export function ImportedObjects({ system, results }: ImportedObjectsProps) {
  const written = results.filter(({ action }) => action !== 'unchanged').length;
  const found = results.find(({ kind, name }) => kind === 'AgentSystem' && name === system.name);
  const namespace = found?.namespace ?? system.namespace;
  return (
    <EmptyState
      cause="none"
      icon={<CircleCheck />}
      title={`${system.name} was imported`}
      action={
        <LinkButton variant="primary" href={objectAddress({ kind: 'AgentSystem', namespace, name: system.name })}>
          Open {system.name}
        </LinkButton>
      }
    >
      {written === 1 ? '1 object was' : `${written} objects were`} written, in one transaction.
    </EmptyState>
  );
}
