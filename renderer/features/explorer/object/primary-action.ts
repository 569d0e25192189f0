// Action of an object's page that its kind has beside Edit. Pure.
import type { NextStep } from '@svc/shared/kinds/define';
import type { ResourceKey } from '@svc/shared/resource';
import { kindNamed } from '../../../kinds/kind-table.ts';
import { approvalAddress, createAddress, kindAddress, pageAddress, simulatorAddress } from '../../../navigation/addresses.ts';

export interface PrimaryAction {
  readonly label: string;
  readonly href: string;
  /** Shown beside Edit, which is then the main action. */
  readonly second?: true;
  /** Leads to the creation of another object. */
  readonly creates?: boolean;
}

/** Undefined for kinds whose page needs no main action. */
export function primaryAction(object: ResourceKey, scope: string): PrimaryAction | undefined {
  const { area, nextStep, verdictPart } = kindNamed(object.kind) ?? {};
  const ref = `${object.namespace}/${object.name}`;
  if (area === 'inbox') return { label: 'Open in the inbox', href: approvalAddress(scope, object) };
  if (area === 'workers') return { label: 'Show all workers', href: pageAddress(scope, 'workers') };
  if (verdictPart === 'agent' || verdictPart === 'tool')
    return { label: 'Check access', href: pageAddress(scope, 'simulator', { [verdictPart]: ref }), second: true };
  // A rule covers many calls: the call is chosen there, and the rule can be changed there without being stored.
  if (verdictPart === 'rule') return { label: 'Check access', href: simulatorAddress(scope, { rule: object }), second: true };
  return nextStep && { label: nextStep.label, href: stepAddress(nextStep, object, ref), creates: 'create' in nextStep };
}

function stepAddress(step: NextStep, { kind, namespace }: ResourceKey, ref: string): string {
  return 'list' in step ? kindAddress(namespace, step.list) : createAddress(namespace, step.create, { with: `${kind}:${ref}` });
}
