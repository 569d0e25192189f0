// Approvals for tests.
import type { Resource } from '@svc/shared/resource';
import { readApproval, type TaskApproval, type ToolApproval } from '../features/approvals/model/approval.ts';

interface Parts {
  readonly name?: string;
  readonly uid?: string;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

function resource(kind: string, { name = 'a', uid = `uid-${name}`, spec = {}, status = {}, annotations = {} }: Parts): Resource {
  const createdAt = '2026-01-01T00:00:00.000Z';
  const versions = { resourceVersion: '1', generation: 1, createdAt, updatedAt: createdAt };
  return {
    apiVersion: 'svc.dev/v1',
    kind,
    metadata: { name, namespace: 'ops', uid, labels: {}, annotations, ...versions },
    spec,
    status: { phase: 'Pending', expires_at: '2026-01-01T01:00:00.000Z', ...status },
  };
}

export function toolApproval(parts: Parts = {}): ToolApproval {
  const spec = {
    task_ref: 'job',
    tool: 'pay',
    agent: 'clerk',
    operation_class: 'write',
    input: '{"sum":3}',
    reason: 'Money leaves.',
    ...parts.spec,
  };
  return readApproval(resource('ToolApproval', { ...parts, spec })) as ToolApproval;
}

export function taskApproval(parts: Parts = {}): TaskApproval {
  const spec = { task_ref: 'job', checkpoint_id: 'draft', agent: 'writer', output: 'text', ...parts.spec };
  return readApproval(resource('TaskApproval', { ...parts, spec })) as TaskApproval;
}
