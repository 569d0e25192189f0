// Shapes of ToolPermission: agents that may call a tool, and calls that need approval.
import { z } from 'zod';
import { commonStatus, duration, flag, group, listOf, names, text } from '../fields.ts';

export const MATCH_MODES = ['all', 'any'] as const;
export const PERMISSION_APPLY_MODES = ['global', 'scoped'] as const;
export const RULE_OPERATION_CLASSES = ['read', 'write', 'delete', 'admin', '*'] as const;
export const VERDICTS = ['allow', 'deny', 'approval_required'] as const;

const operationRule = z.strictObject({
  operation_class: text('The operation class the rule is about; `*` is every class.', { defaultText: '*', values: RULE_OPERATION_CLASSES }),
  verdict: text('What a matching call gets. Of several matching rules the strictest wins.', { defaultText: 'allow', values: VERDICTS }),
});

export const toolPermissionSpec = z.strictObject({
  tool_ref: text('The Tool governed.', { defaultText: 'metadata.name', format: 'ref:Tool' }),
  action: text('The action governed. Calls are `invoke`; a permission for another action, `*` aside, governs no call.', {
    defaultText: 'invoke',
  }),
  required_permissions: names(
    'Permissions the calling Agent must hold through its AgentRoles, upper and lower case alike. A role of the Agent that does not exist denies the call.',
  ),
  match_mode: text('Whether `all` required permissions must be held, or `any` one of them.', { defaultText: 'all', values: MATCH_MODES }),
  apply_mode: text('`global` governs every Agent, `scoped` those in target_agents.', {
    defaultText: 'global',
    values: PERMISSION_APPLY_MODES,
  }),
  target_agents: names('Agents governed when scoped; then at least one is needed.', { format: 'ref:Agent' }),
  operation_rules: listOf(
    'Verdicts by operation class; the strictest over the classes of the Tool wins, and a class that no rule names gets the verdict of --default-tool-verdict. Without rules a call is plainly allowed or denied by its permissions.',
    operationRule,
  ),
  approval: group('What a ToolApproval made for an `approval_required` verdict carries.', {
    ttl: duration('How long a decision may take before the approval expires; the shortest time of several permissions applies.', {
      defaultText: '10m',
    }),
    reason: text('Reason for the approval; shown to the reviewer.'),
    require_other: flag(
      'Whether the creators of the Task and the last writers of the rules that require the approval are barred from deciding. Needs authentication.',
      { defaultText: 'false' },
    ),
  }),
});

export const toolPermissionStatus = z.strictObject(commonStatus);

export type WrittenToolPermissionSpec = z.infer<typeof toolPermissionSpec>;
