// Shapes of AgentRole: a named set of permissions that Agents are bound to.
import { z } from 'zod';
import { commonStatus, names, text } from '../fields.ts';

export const agentRoleSpec = z.strictObject({
  description: text('What the role is for.'),
  permissions: names('Permissions that Agents bound to this role hold. Trimmed; entries that differ only in case count once.'),
});

export const agentRoleStatus = z.strictObject(commonStatus);

export type WrittenAgentRoleSpec = z.infer<typeof agentRoleSpec>;
