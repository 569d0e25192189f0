// All procedures of the console. The renderer imports this file's type and nothing else of the server.
import { agentsRouter } from './agents.ts';
import { checkpointsRouter } from './checkpoints.ts';
import { environmentKeysRouter } from './environment-keys.ts';
import { experimentsRouter } from './experiments.ts';
import { liveRouter } from './live.ts';
import { modelsRouter } from './models.ts';
import { preferencesRouter, resourcesRouter } from './resources.ts';
import { accessRouter, approvalsRouter, decisionsRouter, runsRouter, statisticsRouter } from './runs.ts';
import { memoriesRouter } from './memories.ts';
import { schedulesRouter } from './schedules.ts';
import { sessionsRouter } from './sessions.ts';
import { serverRouter, tokensRouter } from './server-router.ts';
import { terminalsRouter } from './terminals.ts';
import { router } from './trpc.ts';
import { signInsRouter, usersRouter } from './users.ts';
import { webhooksRouter } from './webhooks.ts';

export const appRouter = router({
  server: serverRouter,
  resources: resourcesRouter,
  runs: runsRouter,
  sessions: sessionsRouter,
  checkpoints: checkpointsRouter,
  webhooks: webhooksRouter,
  schedules: schedulesRouter,
  experiments: experimentsRouter,
  memories: memoriesRouter,
  approvals: approvalsRouter,
  decisions: decisionsRouter,
  access: accessRouter,
  models: modelsRouter,
  agents: agentsRouter,
  environmentKeys: environmentKeysRouter,
  statistics: statisticsRouter,
  live: liveRouter,
  tokens: tokensRouter,
  users: usersRouter,
  signIns: signInsRouter,
  terminals: terminalsRouter,
  preferences: preferencesRouter,
});

export type AppRouter = typeof appRouter;
export type { ErrorData } from './trpc.ts';
export type { LiveBatch } from './live.ts';
