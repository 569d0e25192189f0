// Runs and what people do with them: records, control, decisions on approvals, dry runs of governance. Translates; decides nothing.
import { defined, type JsonObject } from '@svc/shared/json';
import { ServiceError } from '@svc/shared/errors';
import type { AccessCheckAnswer, ToolProblem } from '@svc/shared/api/access';
import type { Explanation, LogPage, MessagePage, RunMetrics, TracePage } from '@svc/shared/api/runs';
import { DECISION_TYPES } from '@svc/shared/decision-record';
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { ANSWERED, CALL_OUTCOMES } from '@svc/shared/kinds/tool-approval/outcomes';
import { DEFAULT_NAMESPACE } from '@svc/shared/resource';
import { tracked } from '@trpc/server';
import { z } from 'zod';
import { TASK_APPROVAL, TOOL_APPROVAL } from '../../engine/approvals/approval-kind.ts';
import { accessQuestion, answerBody } from '../rest/authorize.ts';
import {
  cursor,
  freeText,
  identifier,
  jsonObject,
  name,
  namespace,
  objectKey,
  objectRef,
  pageSize,
  reference,
  uid,
  word,
} from './inputs.ts';
import { procedure, router } from './trpc.ts';

const page = objectRef.extend({ after: cursor });
/** Bounded by the limit of bodies. */
const inputValues = z.record(z.string().meta({ freeText: true }), z.string().meta({ freeText: true })).optional();

/** The run service answers with JSON of these shapes; its port says no more than JSON. */
const as = <T>(json: unknown): T => json as T;

const records = {
  /** A short page loads fast, and the first screen needs no more. */
  trace: procedure
    .input(page.extend({ uid: uid.optional(), limit: pageSize.optional() }))
    .query(async ({ ctx, input: { after, limit, ...ref } }) =>
      as<TracePage>(await ctx.services.runs.trace(ctx.caller, ref, { after, limit })),
    ),
  messages: procedure
    .input(
      page.extend({
        phase: word.optional(),
        from_agent: word.optional(),
        to_agent: word.optional(),
        branch_id: word.optional(),
        limit: pageSize.optional(),
      }),
    )
    .query(async ({ ctx, input: { namespace: home, name, ...filter } }) => {
      const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined && value !== ''));
      return as<MessagePage>(await ctx.services.runs.messages(ctx.caller, { namespace: home, name }, given));
    }),
  logs: procedure
    .input(page)
    .query(async ({ ctx, input: { after, ...ref } }) => as<LogPage>(await ctx.services.runs.logs(ctx.caller, ref, after))),
  agentLogs: procedure
    .input(page)
    .query(async ({ ctx, input: { after, ...ref } }) => as<LogPage>(await ctx.services.runs.agentLogs(ctx.caller, ref, after))),
  metrics: procedure.input(objectRef).query(async ({ ctx, input }) => as<RunMetrics>(await ctx.services.runs.metrics(ctx.caller, input))),
  explain: procedure.input(objectRef).query(async ({ ctx, input }) => as<Explanation>(await ctx.services.runs.explain(ctx.caller, input))),
  /** Prompt and tools of an agent, as the attempt froze them. */
  agentDefinition: procedure
    .input(objectRef.extend({ uid: uid.optional(), agent: reference, attempt: z.int().min(1) }))
    .query(({ ctx, input: { agent, attempt, ...ref } }) => ctx.services.runs.agentDefinition(ctx.caller, ref, { agent, attempt })),
  /** Definitions that the last attempt froze, to be compared with those of another run. */
  definitions: procedure
    .input(objectRef.extend({ uid: uid.optional() }))
    .query(({ ctx, input }) => ctx.services.runs.definitions(ctx.caller, input)),
  /** Runs that a worker holds; `live.held` follows them. */
  held: procedure.input(z.strictObject({ worker: name })).query(({ ctx, input }) => ctx.services.runs.held(ctx.caller, input.worker)),
  /** The trace as it grows, in batches, from the start or after the last id seen. Ends with the run. */
  followTrace: procedure.input(objectRef.extend({ lastEventId: cursor })).subscription(async function* ({
    ctx,
    input: { lastEventId, ...ref },
    signal,
  }) {
    const ended = signal ?? new AbortController().signal;
    const options = { signal: ended, ...(lastEventId !== undefined && { after: lastEventId }) };
    for await (const batch of await ctx.services.runs.followTrace(ctx.caller, ref, options)) {
      const last = batch.at(-1);
      if (last) yield tracked(last.cursor, { entries: batch.map(({ entry }) => as<TraceEntry>(entry)) });
    }
  }),
};

const growth = {
  /** Text of running model calls as it arrives, the text so far first. Not part of the record: the trace has it once a call has ended. */
  followText: procedure.input(objectRef).subscription(async function* ({ ctx, input, signal }) {
    const ended = signal ?? new AbortController().signal;
    for await (const items of await ctx.services.runs.followText(ctx.caller, input, ended)) yield { items };
  }),
  /** Ticks when messages, metrics, logs and the explanation may have changed, at most once a second. */
  growth: procedure.input(objectRef).subscription(async function* ({ ctx, input, signal }) {
    const ended = signal ?? new AbortController().signal;
    for await (const _tick of await ctx.services.runs.followGrowth(ctx.caller, input, ended)) yield { grown: true };
  }),
};

const control = {
  cancel: procedure
    .input(objectRef.extend({ uid: uid.optional(), reason: freeText(1000).optional() }))
    .mutation(({ ctx, input: { reason, ...ref } }) => ctx.services.runs.cancel(ctx.caller, ref, reason)),
  /** Continues or ends a trial at a breakpoint, with the pending text or a replacement. */
  continue: procedure
    .input(
      objectRef.extend({
        uid: uid.optional(),
        at: freeText(300).optional(),
        input: freeText(256 * 1024).optional(),
        output: freeText(256 * 1024).optional(),
        end: z.boolean().optional(),
        reason: freeText(1000).optional(),
      }),
    )
    .mutation(({ ctx, input: { namespace: home, name, uid: seen, ...body } }) =>
      ctx.services.runs.continue(ctx.caller, { namespace: home, name, uid: seen }, body),
    ),
  /** Creates `<name>-retry-<n>` from a finished Task, with its own input or this one; the key of an earlier request returns what that one made. */
  retry: procedure
    .input(
      objectRef.extend({
        uid: uid.optional(),
        input: inputValues,
        key: identifier.optional(),
        toNamespace: namespace.optional(),
        systemGeneration: z.int().min(0).optional(),
      }),
    )
    .mutation(({ ctx, input: { namespace: home, name, uid: seen, ...options } }) =>
      ctx.services.runs.retry(ctx.caller, { namespace: home, name, uid: seen }, options),
    ),
};

export const runsRouter = router({ ...records, ...growth, ...control });

const decisionInput = objectRef.extend({
  kind: z.enum([TOOL_APPROVAL, TASK_APPROVAL]),
  decision: z.enum(['approved', 'denied', 'request_changes']),
  /** The `metadata.uid` of the object on the person's screen. */
  uid,
  comment: freeText(10_000).optional(),
  outcome: z.enum([...CALL_OUTCOMES, ANSWERED]).optional(),
  output: z.unknown().optional(),
  /** Edited arguments. */
  input: jsonObject.optional(),
});

export const approvalsRouter = router({
  /** The call in question as its run has it, and whether a run waits at all. */
  request: procedure
    .input(objectRef.extend({ kind: z.enum([TOOL_APPROVAL, TASK_APPROVAL]) }))
    .query(({ ctx, input }) => ctx.services.runs.approvalRequest(ctx.caller, input)),
  /** Plan of the call with an edited input. A mutation for its size alone: inputs belong in no URL. */
  plan: procedure
    .input(objectRef.extend({ input: jsonObject }))
    .mutation(({ ctx, input: { input, ...ref } }) =>
      ctx.services.runs.plan(ctx.caller, { kind: TOOL_APPROVAL, ...ref }, input as JsonObject),
    ),
  decide: procedure.input(decisionInput).mutation(({ ctx, input: { kind, namespace: home, name, ...rest } }) => {
    return ctx.services.runs.decide(ctx.caller, { kind, namespace: home, name }, defined(rest));
  }),
});

export const decisionsRouter = router({
  /** Ascending by number; `approval` and `task` are namespace/name. */
  list: procedure
    .input(
      z.strictObject({
        after: z.int().min(0),
        limit: pageSize,
        type: z.enum(DECISION_TYPES).optional(),
        approval: reference.optional(),
        task: reference.optional(),
      }),
    )
    .query(({ ctx, input }) => ctx.services.decisions.list(defined(input))),
  get: procedure.input(z.strictObject({ seq: z.int().min(1) })).query(async ({ ctx, input: { seq } }) => {
    const record = await ctx.services.decisions.read(seq);
    if (record === undefined) throw new ServiceError('not_found', `There is no decision record ${seq}`);
    return record;
  }),
  key: procedure.query(({ ctx }) => ctx.services.decisions.publicKey()),
  head: procedure.query(({ ctx }) => ctx.services.decisions.head()),
});

/** Questions of one what-if: a piece of the console's matrix. */
const WHAT_IF_QUESTIONS_MAX = 64;

export const accessRouter = router({
  /** Preview of governance's verdict on a call. Missing objects are part of the answer. */
  check: procedure.input(jsonObject).query(async ({ ctx, input }) => {
    const question = accessQuestion(input, () => DEFAULT_NAMESPACE);
    return as<AccessCheckAnswer>(answerBody(await ctx.services.access.check(question)));
  }),
  /** The same as if these documents were stored. A mutation for its body alone, as documents are too long for an address; it writes nothing. */
  whatIf: procedure
    .input(z.strictObject({ namespace, documents: z.array(z.unknown()), questions: z.array(jsonObject).max(WHAT_IF_QUESTIONS_MAX) }))
    .mutation(async ({ ctx, input: { namespace: home, documents, questions } }) => {
      const asked = questions.map((question) => accessQuestion(question, () => home));
      const answers = await ctx.services.access.whatIf({ questions: asked, documents, namespace: home });
      return answers.map((answer) => as<AccessCheckAnswer>(answerBody(answer)));
    }),
  /** Null for a tool that can run, and for one that does not exist. */
  toolProblem: procedure.input(objectRef).query(async ({ ctx, input }): Promise<ToolProblem | null> => {
    const problem = await ctx.services.access.toolProblem(input);
    return problem ? { code: problem.code, message: problem.message, passing: problem.retryable } : null;
  }),
});

export const statisticsRouter = router({
  runs: procedure
    .input(z.strictObject({ namespace: namespace.optional(), hours: z.int().min(1).max(744) }))
    .query(({ ctx, input: { namespace: home, hours } }) =>
      ctx.services.statistics.runs(ctx.caller, { hours, ...defined({ namespace: home }) }),
    ),
  use: procedure
    .input(z.strictObject({ of: objectKey, days: z.int().min(1).max(31) }))
    .query(({ ctx, input: { of, days } }) => ctx.services.statistics.use(ctx.caller, of, { days })),
});
