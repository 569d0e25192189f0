// All procedures of the console. The renderer imports this file's type and nothing else of the server.
import { liveRouter } from './live.ts';
import { preferencesRouter, resourcesRouter } from './resources.ts';
import { accessRouter, approvalsRouter, decisionsRouter, runsRouter, statisticsRouter } from './runs.ts';
import { serverRouter, tokensRouter } from './server-router.ts';
import { router } from './trpc.ts';

export const appRouter = router({
  server: serverRouter,
  resources: resourcesRouter,
  runs: runsRouter,
  approvals: approvalsRouter,
  decisions: decisionsRouter,
  access: accessRouter,
  statistics: statisticsRouter,
  live: liveRouter,
  tokens: tokensRouter,
  preferences: preferencesRouter,
});

export type AppRouter = typeof appRouter;
export type { ErrorData } from './trpc.ts';
export type { LiveBatch } from './live.ts';
