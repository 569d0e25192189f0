// The commands of svcctl. Only the one requested is loaded, which keeps the start short.
import type { CommandEntry } from './command-setup.ts';

const MANIFESTS = 'Manifests:';
const OBJECTS = 'Objects:';
const RUNS = 'Runs:';
const SETUP = 'Setup:';

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'apply',
    group: MANIFESTS,
    summary: 'create or update objects from manifests',
    load: async () => (await import('./commands/apply.ts')).setupApply,
  },
  {
    name: 'diff',
    group: MANIFESTS,
    summary: 'show what apply would change',
    load: async () => (await import('./commands/diff.ts')).setupDiff,
  },
  {
    name: 'validate',
    group: MANIFESTS,
    summary: 'check manifests, with a dry run where a server answers',
    load: async () => (await import('./commands/validate.ts')).setupValidate,
  },
  {
    name: 'seal',
    group: MANIFESTS,
    summary: 'encrypt Secrets into manifests that can be committed',
    load: async () => (await import('./commands/seal.ts')).setupSeal,
  },
  {
    name: 'bundle',
    group: MANIFESTS,
    summary: 'move an agent system to another server as one signed file',
    load: async () => (await import('./commands/bundle.ts')).setupBundle,
  },
  {
    name: 'init',
    group: MANIFESTS,
    summary: 'copy a blueprint to start from',
    load: async () => (await import('./commands/init.ts')).setupInit,
  },
  {
    name: 'explain',
    group: MANIFESTS,
    summary: 'describe a kind and its fields',
    load: async () => (await import('./commands/explain.ts')).setupExplain,
  },
  {
    name: 'api-resources',
    group: MANIFESTS,
    summary: 'list the kinds',
    load: async () => (await import('./commands/explain.ts')).setupApiResources,
  },
  {
    name: 'get',
    group: OBJECTS,
    summary: 'list or show objects, once or live',
    load: async () => (await import('./commands/get.ts')).setupGet,
  },
  {
    name: 'describe',
    group: OBJECTS,
    summary: 'show objects in full, with their recent events',
    load: async () => (await import('./commands/describe.ts')).setupDescribe,
  },
  {
    name: 'edit',
    group: OBJECTS,
    summary: 'change an object in your editor',
    load: async () => (await import('./commands/edit.ts')).setupEdit,
  },
  {
    name: 'patch',
    group: OBJECTS,
    summary: 'change parts of an object',
    load: async () => (await import('./commands/patch.ts')).setupPatch,
  },
  {
    name: 'label',
    group: OBJECTS,
    summary: 'set or remove labels',
    load: async () => (await import('./commands/label.ts')).setupLabel,
  },
  {
    name: 'annotate',
    group: OBJECTS,
    summary: 'set or remove annotations',
    load: async () => (await import('./commands/label.ts')).setupAnnotate,
  },
  { name: 'delete', group: OBJECTS, summary: 'delete objects', load: async () => (await import('./commands/delete.ts')).setupDelete },
  {
    name: 'wait',
    group: OBJECTS,
    summary: 'wait for a phase, an end, a value or a deletion',
    load: async () => (await import('./commands/wait.ts')).setupWait,
  },
  {
    name: 'events',
    group: OBJECTS,
    summary: 'list events, once or live',
    load: async () => (await import('./commands/events.ts')).setupEvents,
  },
  {
    name: 'run',
    group: RUNS,
    summary: 'run an agent system and follow it',
    load: async () => (await import('./commands/run.ts')).setupRun,
  },
  {
    name: 'trace',
    group: RUNS,
    summary: "show a task's steps as a tree",
    load: async () => (await import('./commands/trace.ts')).setupTrace,
  },
  {
    name: 'logs',
    group: RUNS,
    summary: 'print logs of a task or an agent',
    load: async () => (await import('./commands/logs.ts')).setupLogs,
  },
  {
    name: 'messages',
    group: RUNS,
    summary: "list the messages between a task's agents",
    load: async () => (await import('./commands/messages.ts')).setupMessages,
  },
  { name: 'cancel', group: RUNS, summary: 'cancel a task', load: async () => (await import('./commands/task-actions.ts')).setupCancel },
  {
    name: 'continue',
    group: RUNS,
    summary: 'continue or end a trial that waits at a breakpoint',
    load: async () => (await import('./commands/continue.ts')).setupContinue,
  },
  {
    name: 'retry',
    group: RUNS,
    summary: 'run an ended task again as a new one',
    load: async () => (await import('./commands/task-actions.ts')).setupRetry,
  },
  {
    name: 'approvals',
    group: RUNS,
    summary: 'list, show and decide what waits for a person',
    load: async () => (await import('./commands/approvals.ts')).setupApprovals,
  },
  {
    name: 'approve',
    group: RUNS,
    summary: 'approve a call or output that waits for a person',
    load: async () => (await import('./commands/approvals.ts')).setupApprove,
  },
  {
    name: 'deny',
    group: RUNS,
    summary: 'deny a call or output that waits for a person',
    load: async () => (await import('./commands/approvals.ts')).setupDeny,
  },
  {
    name: 'decisions',
    group: RUNS,
    summary: 'list, export and verify the signed records of decisions',
    load: async () => (await import('./commands/decisions.ts')).setupDecisions,
  },
  {
    name: 'chat',
    group: RUNS,
    summary: 'talk with an agent system',
    load: async () => (await import('./commands/chat.ts')).setupChat,
  },
  {
    name: 'sessions',
    group: RUNS,
    summary: 'turns, events, control and checkpoints of conversations',
    load: async () => (await import('./commands/sessions.ts')).setupSessions,
  },
  {
    name: 'webhook',
    group: RUNS,
    summary: 'send test deliveries to webhooks, list deliveries, send one again',
    load: async () => (await import('./commands/webhook.ts')).setupWebhook,
  },
  {
    name: 'schedule',
    group: RUNS,
    summary: 'list and preview schedules, their slots, run one now, suspend and resume',
    load: async () => (await import('./commands/schedule.ts')).setupSchedule,
  },
  {
    name: 'mcp',
    group: RUNS,
    summary: 'list, call and debug the tools of MCP servers',
    load: async () => (await import('./commands/mcp.ts')).setupMcp,
  },
  {
    name: 'a2a',
    group: RUNS,
    summary: 'show cards of agents, send them messages, test them over A2A',
    load: async () => (await import('./commands/a2a.ts')).setupA2a,
  },
  {
    name: 'memory',
    group: RUNS,
    summary: 'list, search, read, write, delete, import and export entries of memories',
    load: async () => (await import('./commands/memory.ts')).setupMemory,
  },
  { name: 'config', group: SETUP, summary: 'manage profiles', load: async () => (await import('./commands/config.ts')).setupConfig },
  {
    name: 'auth',
    group: SETUP,
    summary: 'ask what agents may do',
    load: async () => (await import('./commands/auth.ts')).setupAuth,
  },
  { name: 'tokens', group: SETUP, summary: 'manage API tokens', load: async () => (await import('./commands/tokens.ts')).setupTokens },
  {
    name: 'users',
    group: SETUP,
    summary: 'manage users and their sign-ins',
    load: async () => (await import('./commands/users.ts')).setupUsers,
  },
  {
    name: 'migrate-store',
    group: SETUP,
    summary: 'copy an embedded database into PostgreSQL',
    load: async () => (await import('./commands/migrate-store.ts')).setupMigrateStore,
  },
  {
    name: 'completion',
    group: SETUP,
    summary: 'print a shell completion script',
    load: async () => (await import('./commands/completion.ts')).setupCompletion,
  },
  {
    name: 'version',
    group: SETUP,
    summary: 'print the versions of svcctl and of the server',
    load: async () => (await import('./commands/version.ts')).setupVersion,
  },
  {
    name: '__complete',
    group: SETUP,
    hidden: true,
    summary: 'print completions',
    load: async () => (await import('./commands/completion.ts')).setupComplete(COMMANDS),
  },
];
