// The commands of svcctl. Only the one requested is loaded, which keeps the start short.
import type { CommandEntry, CommandSetup } from './command-setup.ts';

type Line = readonly [name: string, summary: string, load: () => Promise<CommandSetup>];

const inGroup = (group: string, lines: readonly Line[]): CommandEntry[] =>
  lines.map(([name, summary, load]) => ({ name, summary, group, load }));

export const COMMANDS: readonly CommandEntry[] = [
  ...inGroup('Manifests:', [
    ['apply', 'create or update objects from manifests', async () => (await import('../commands/apply.ts')).setupApply],
    ['diff', 'show what apply would change', async () => (await import('../commands/diff.ts')).setupDiff],
    [
      'validate',
      'check manifests, with a dry run where a server answers',
      async () => (await import('../commands/validate.ts')).setupValidate,
    ],
    ['seal', 'encrypt Secrets into manifests that can be committed', async () => (await import('../commands/seal.ts')).setupSeal],
    [
      'bundle',
      'move an agent system to another server as one signed file',
      async () => (await import('../commands/bundle.ts')).setupBundle,
    ],
    ['export', 'write everything that was declared into one file', async () => (await import('../commands/export.ts')).setupExport],
    ['init', 'copy a blueprint to start from', async () => (await import('../commands/init.ts')).setupInit],
    ['explain', 'describe a kind and its fields', async () => (await import('../commands/explain.ts')).setupExplain],
    ['api-resources', 'list the kinds', async () => (await import('../commands/explain.ts')).setupApiResources],
  ]),
  ...inGroup('Objects:', [
    ['get', 'list or show objects, once or live', async () => (await import('../commands/get.ts')).setupGet],
    ['describe', 'show objects in full, with their recent events', async () => (await import('../commands/describe.ts')).setupDescribe],
    ['edit', 'change an object in your editor', async () => (await import('../commands/edit.ts')).setupEdit],
    ['patch', 'change parts of an object', async () => (await import('../commands/patch.ts')).setupPatch],
    ['history', 'list, show or compare the versions of an object', async () => (await import('../commands/history.ts')).setupHistory],
    ['restore', 'write an earlier version of an object again', async () => (await import('../commands/history.ts')).setupRestore],
    ['label', 'set or remove labels', async () => (await import('../commands/label.ts')).setupLabel],
    ['annotate', 'set or remove annotations', async () => (await import('../commands/label.ts')).setupAnnotate],
    ['delete', 'delete objects', async () => (await import('../commands/delete.ts')).setupDelete],
    ['wait', 'wait for a phase, an end, a value or a deletion', async () => (await import('../commands/wait.ts')).setupWait],
    ['events', 'list events, once or live', async () => (await import('../commands/events.ts')).setupEvents],
    ['namespaces', 'list the namespaces in use', async () => (await import('../commands/namespaces.ts')).setupNamespaces],
  ]),
  ...inGroup('Runs:', [
    ['run', 'run an agent system and follow it', async () => (await import('../commands/run.ts')).setupRun],
    ['trace', "show a task's steps as a tree", async () => (await import('../commands/trace.ts')).setupTrace],
    ['logs', 'print logs of a task or an agent', async () => (await import('../commands/logs.ts')).setupLogs],
    ['messages', "list the messages between a task's agents", async () => (await import('../commands/messages.ts')).setupMessages],
    ['cancel', 'cancel a task', async () => (await import('../commands/task-actions.ts')).setupCancel],
    ['continue', 'continue or end a trial that waits at a breakpoint', async () => (await import('../commands/continue.ts')).setupContinue],
    ['retry', 'run an ended task again as a new one', async () => (await import('../commands/task-actions.ts')).setupRetry],
    ['approvals', 'list, show and decide what waits for a person', async () => (await import('../commands/approvals.ts')).setupApprovals],
    ['approve', 'approve a call or output that waits for a person', async () => (await import('../commands/approvals.ts')).setupApprove],
    ['deny', 'deny a call or output that waits for a person', async () => (await import('../commands/approvals.ts')).setupDeny],
    [
      'decisions',
      'list, export and verify the signed records of decisions',
      async () => (await import('../commands/decisions.ts')).setupDecisions,
    ],
    ['chat', 'talk with an agent system', async () => (await import('../commands/chat.ts')).setupChat],
    [
      'sessions',
      'turns, events, control and checkpoints of conversations',
      async () => (await import('../commands/sessions.ts')).setupSessions,
    ],
    [
      'webhook',
      'send test deliveries to webhooks, list deliveries, send one again',
      async () => (await import('../commands/webhook.ts')).setupWebhook,
    ],
    [
      'schedule',
      'list, preview, run and backfill schedules, their slots, suspend and resume',
      async () => (await import('../commands/schedule.ts')).setupSchedule,
    ],
    ['worker', 'drain workers and let them claim runs again', async () => (await import('../commands/worker.ts')).setupWorker],
    [
      'experiment',
      'run cases with several versions of definitions, show, rate, export results',
      async () => (await import('../commands/experiment.ts')).setupExperiment,
    ],
    ['mcp', 'list, call and debug the tools of MCP servers', async () => (await import('../commands/mcp.ts')).setupMcp],
    ['a2a', 'show cards of agents, send them messages, test them over A2A', async () => (await import('../commands/a2a.ts')).setupA2a],
    [
      'memory',
      'list, search, read, write, delete, import and export entries of memories',
      async () => (await import('../commands/memory.ts')).setupMemory,
    ],
  ]),
  ...inGroup('Setup:', [
    ['config', 'manage profiles', async () => (await import('../commands/config.ts')).setupConfig],
    ['auth', 'ask what agents may do, and who you are', async () => (await import('../commands/auth.ts')).setupAuth],
    ['tokens', 'manage API tokens', async () => (await import('../commands/tokens.ts')).setupTokens],
    ['users', 'manage users and their sign-ins', async () => (await import('../commands/users.ts')).setupUsers],
    [
      'migrate-store',
      'copy an embedded database into PostgreSQL',
      async () => (await import('../commands/migrate-store.ts')).setupMigrateStore,
    ],
    ['completion', 'print a shell completion script', async () => (await import('../commands/completion.ts')).setupCompletion],
    ['version', 'print the versions of svcctl and of the server', async () => (await import('../commands/version.ts')).setupVersion],
  ]),
  {
    name: '__complete',
    group: 'Setup:',
    hidden: true,
    summary: 'print completions',
    load: async () => (await import('../commands/completion.ts')).setupComplete(COMMANDS),
  },
];
