// Waiting approvals for `approve …` and `deny …` in the palette. An entry opens the approval: it is decided where its input can be read.
import { CircleUser } from 'lucide-react';
import { subjectOf, type Approval } from '../../features/approvals/model/approval.ts';
import { usePending } from '../../features/approvals/model/use-approvals.ts';
import { approvalAddress } from '../../navigation/addresses.ts';
import { useScope } from '../../navigation/scope.ts';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { useNavigation } from '../../ui/link/navigation.ts';
import { UntrustedText } from '../../ui/text/UntrustedText.tsx';
import { readDecision } from './palette-model.ts';
import type { PaletteEntry } from './use-palette-entries.tsx';

const SHOWN_MAX = 20;

const textOf = (approval: Approval) =>
  `${subjectOf(approval)} ${approval.task.name} ${approval.agent} ${approval.namespace}/${approval.name}`.toLowerCase();

export function useApprovalEntries(query: string): PaletteEntry[] {
  const { go } = useNavigation();
  const { scope, namespace } = useScope();
  const { allowed } = useCanWrite('approver');
  const { approvals } = usePending(namespace);
  const decision = readDecision(query);
  if (!decision || !allowed) return [];
  return approvals
    .filter((approval) => decision.words.every((word) => textOf(approval).includes(word)))
    .toSorted((a, b) => a.expiresAt - b.expiresAt)
    .slice(0, SHOWN_MAX)
    .map((approval) => ({
      id: `decide-${approval.key}`,
      label: (
        <UntrustedText text={`${decision.verb === 'approve' ? 'Approve' : 'Deny'} ${subjectOf(approval)} of ${approval.task.name}…`} />
      ),
      icon: <CircleUser />,
      detail: <UntrustedText text={`asked by ${approval.agent === '' ? 'an agent' : approval.agent} · ${approval.namespace}`} />,
      run: () => go(approvalAddress(scope, approval)),
    }));
}
