// Main action of an object's page, by its kind. Pure.
import type { ResourceKey } from '@svc/shared/resource';
import { approvalAddress, createAddress, kindAddress, pageAddress, simulatorAddress } from '../../../navigation/addresses.ts';

export interface PrimaryAction {
  readonly label: string;
  readonly href: string;
}

type Make = (object: ResourceKey, scope: string) => PrimaryAction;

const ref = ({ namespace, name }: ResourceKey) => `${namespace}/${name}`;

const simulate =
  (label: string, parameter: string): Make =>
  (object, scope) => ({ label, href: pageAddress(scope, 'simulator', { [parameter]: ref(object) }) });

/** A rule covers many calls: the call is chosen there, and the rule can be changed there without being stored. */
const rule: Make = (object, scope) => ({
  label: 'Check access',
  href: simulatorAddress(scope, { rule: object }),
});

const decide: Make = (object, scope) => ({ label: 'Open in the inbox', href: approvalAddress(scope, object) });

const ACTIONS: Readonly<Record<string, Make>> = {
  Agent: simulate('Check access', 'agent'),
  Tool: simulate('Check access', 'tool'),
  ModelEndpoint: (object) => ({
    label: 'New agent on this model',
    href: createAddress(object.namespace, 'Agent', { with: `ModelEndpoint:${ref(object)}` }),
  }),
  McpServer: ({ namespace }) => ({ label: 'Show tools', href: kindAddress(namespace, 'Tool') }),
  AgentRole: rule,
  AgentPolicy: rule,
  ToolPermission: rule,
  ToolApproval: decide,
  TaskApproval: decide,
  Worker: (_object, scope) => ({ label: 'Show all workers', href: pageAddress(scope, 'workers') }),
};

/** Undefined for kinds whose page needs no main action. */
export function primaryAction(object: ResourceKey, scope: string): PrimaryAction | undefined {
  return ACTIONS[object.kind]?.(object, scope);
}
