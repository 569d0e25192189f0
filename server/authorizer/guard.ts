// Services that query the authorizer before each call, and filter what they list. Surfaces get these in place of the services themselves, so that REST, the
// console, chat and every later protocol follow the same answers.
import { ServiceError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import { kindByName } from '@svc/shared/kinds';
import { specOf } from '@svc/shared/kinds/read';
import { describeKey, parseRef, type NamespacedName, type ResourceKey } from '@svc/shared/resource';
import type { RunDefinitions } from '@svc/shared/api/runs';
import type { AuthService } from '../auth/auth.ts';
import type { ExperimentService } from '../experiments/experiment-service.ts';
import type { RunService } from '../engine/runs/run-service.ts';
import type { MemoryService } from '../memory/memory-service.ts';
import type { McpCalls, McpRun } from '../mcp/endpoint/service.ts';
import { overlay } from '../overlay.ts';
import { parseCursor } from '../registry/cursor.ts';
import { requireKind } from '../registry/mapping.ts';
import { outwardReferences } from '../registry/write.ts';
import type { JudgeReferences, JudgeRemovals, ListRequest, Page, Registry, RequestContext } from '../registry/registry.ts';
import type { WatchMessage, WatchService, WatchStream } from '../registry/watch/watch.ts';
import type { ChatService, StartedChat } from '../sessions/chat-service.ts';
import type { SessionService } from '../sessions/session-service.ts';
import type { StatisticsService } from '../statistics/statistics.ts';
import type { ScheduleService } from '../triggers/schedules/schedule-service.ts';
import type { WebhookService } from '../triggers/webhooks/webhook-service.ts';
import type { AuthorizedMethod, Authorizer, Target } from './authorizer.ts';

export interface GuardedServices {
  readonly registry: Registry;
  readonly watches: WatchService;
  readonly runs: RunService;
  readonly sessions: SessionService;
  readonly chats: ChatService;
  readonly mcpCalls: McpCalls;
  readonly auth: AuthService;
  readonly statistics: StatisticsService;
  readonly webhooks: WebhookService;
  readonly schedules: ScheduleService;
  readonly experiments: ExperimentService;
  readonly memories: MemoryService;
}

const resourceOf = (kind: string): string => kindByName(kind)?.plural ?? kind;

const reading = ({ kind, namespace, name }: ResourceKey): Target => ({ method: 'GET', resource: resourceOf(kind), namespace, name });
const deleting = (of: ResourceKey): Target => ({ ...reading(of), method: 'DELETE' });
const listing = (resource: string, namespace: string | undefined): Target => ({
  method: 'GET',
  resource,
  namespace: namespace ?? '',
  name: '',
});

type Call = (context: RequestContext, ...rest: never[]) => unknown;
type CallsOf<Service> = { readonly [Name in keyof Service as Service[Name] extends Call ? Name : never]: AuthorizedMethod };

interface Rules<Service> {
  readonly methods: CallsOf<Service>;
  readonly targetOf: (method: AuthorizedMethod, ref: unknown) => Target;
  readonly by: Authorizer;
}

const isStream = (value: unknown): value is AsyncIterable<unknown> => isObject(value) && Symbol.asyncIterator in value;

/** Ends with the denial, or without an answer: items are for a caller who may see them now. */
async function* whileAllowed<Item>(stream: AsyncIterable<Item>, check: () => Promise<void>): AsyncGenerator<Item, void, void> {
  for await (const item of stream) {
    await check();
    yield item;
  }
}

/** Guards methods of the form `(context, { namespace, name }, …)`, each by its HTTP method; a stream that they return is checked again with each item. */
function guardCalls<Service extends object>(service: Service, { methods, targetOf, by }: Rules<Service>): Service {
  const guarded = Object.entries(methods as Record<string, AuthorizedMethod>).map(([name, method]) => {
    const call = (service as Record<string, (...args: unknown[]) => unknown>)[name]?.bind(service);
    const ask = async (context: RequestContext, ref: unknown, ...rest: unknown[]) => {
      const check = () => by.require(context.identity, targetOf(method, ref));
      await check();
      const answer = await call?.(context, ref, ...rest);
      return isStream(answer) ? whileAllowed(answer, check) : answer;
    };
    return [name, ask];
  });
  return overlay(service, Object.fromEntries(guarded) as Partial<Service>);
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A reference of one kind, or with a kind of its own. */
const refTarget =
  (resource: string) =>
  (method: AuthorizedMethod, ref: unknown): Target => {
    const { kind, namespace, name } = isObject(ref) ? ref : {};
    return { method, resource: kind === undefined ? resource : resourceOf(text(kind)), namespace: text(namespace), name: text(name) };
  };

/** Metrics add up Tasks of one namespace. Those of an agent add up the systems that it is part of, wherever they are. */
function statisticsTarget(method: AuthorizedMethod, ref: unknown): Target {
  const { kind, namespace } = isObject(ref) ? ref : {};
  return { method, resource: resourceOf('Task'), namespace: kind === 'Agent' ? '' : text(namespace), name: '' };
}

function guardStatistics(statistics: StatisticsService, by: Authorizer): StatisticsService {
  const guarded = guardCalls(statistics, { ...{ by, methods: { runs: 'GET', use: 'GET' } }, targetOf: statisticsTarget });
  return overlay(guarded, {
    async use(context, of, request) {
      await by.require(context.identity, reading(of));
      return guarded.use(context, of, request);
    },
  });
}

export function guardServices(services: GuardedServices, by: Authorizer): GuardedServices {
  const { runs, sessions, webhooks, schedules } = services;
  return {
    registry: guardRegistry(services.registry, by),
    watches: guardWatches(services.watches, by),
    runs: guardRuns(runs, by),
    sessions: guardSessions(sessions, by),
    chats: guardChats(services.chats, by),
    mcpCalls: guardMcpCalls(services.mcpCalls, by),
    auth: guardAuth(services.auth, by),
    statistics: guardStatistics(services.statistics, by),
    webhooks: guardCalls(webhooks, {
      methods: { deliveries: 'GET', redeliver: 'POST', test: 'POST' },
      ...{ targetOf: refTarget('task-webhooks'), by },
    }),
    memories: guardCalls(services.memories, {
      methods: { entries: 'GET', writeEntry: 'PUT', ingest: 'PUT', deleteEntry: 'DELETE' },
      targetOf: refTarget('memories'),
      by,
    }),
    experiments: guardExperiments(services.experiments, by),
    schedules: guardCalls(schedules, {
      methods: { preview: 'GET', slots: 'GET', trigger: 'POST', previewBackfill: 'GET', backfill: 'POST' },
      targetOf: refTarget('task-schedules'),
      by,
    }),
  };
}

function guardRegistry(registry: Registry, by: Authorizer): Registry {
  const objects = guardCalls(registry, {
    methods: { get: 'GET', remove: 'DELETE', relations: 'GET', versions: 'GET', version: 'GET' } as CallsOf<Registry>,
    ...{ targetOf: refTarget(''), by },
  });
  const guarded = guardCalls(objects, {
    methods: { post: 'POST', put: 'PUT', patch: 'PATCH', putStatus: 'PUT' } as CallsOf<Registry>,
    ...{ targetOf: writeTarget, by },
  });
  return overlay(guarded, {
    async list(context, request) {
      await by.require(context.identity, listing(resourceOf(request.kind), request.namespace));
      const visible = async (wanted: ListRequest) => {
        const page = await registry.list(context, wanted);
        return { ...page, items: await by.filter(context.identity, page.items, ({ kind, metadata }) => reading({ kind, ...metadata })) };
      };
      return request.search === undefined ? visible(request) : firstVisible(request, visible);
    },
    async count(context, request) {
      await by.require(context.identity, listing(resourceOf(request.kind), request.namespace));
      return registry.count(context, request);
    },
    search: async (context, request) => by.filter(context.identity, await registry.search(context, request), reading),
    async referrers(context, key, request) {
      await by.require(context.identity, reading(key));
      const page = await registry.referrers(context, key, request);
      return { ...page, items: await by.filter(context.identity, page.items, reading) };
    },
    async apply(context, documents, options) {
      for (const target of documents.map((document) => documentTarget(document, options.namespace)))
        await by.require(context.identity, target);
      for (const removal of options.removals ?? []) await by.require(context.identity, deleting(removal));
      // The registry judges each pruned object: they are known in its transaction.
      if (options.prune)
        await by.require(context.identity, { method: 'DELETE', resource: 'apply', namespace: options.namespace, name: '' });
      return registry.apply(context, documents, options);
    },
    async listNamespaces(context) {
      await by.require(context.identity, listing('namespaces', undefined));
      return registry.listNamespaces(context);
    },
  });
}

/** Pages of a search that are read until the caller may see a match. */
const HIDDEN_PAGES_MAX = 50;

/** Steps over pages of hidden matches: an empty page with a continuation would reveal words of texts that the caller may not read. */
async function firstVisible(request: ListRequest, read: (request: ListRequest) => Promise<Page>): Promise<Page> {
  let page = await read(request);
  for (let i = 1; page.items.length === 0 && page.continue !== undefined && i < HIDDEN_PAGES_MAX; i += 1)
    page = await read({ ...request, after: parseCursor(page.continue, request.namespace) });
  return page;
}

/** Judges references of written specs: the caller needs to be allowed to read what they name in another namespace. */
export function judgeReferencesBy(by: Authorizer): JudgeReferences {
  return (identity, references, operation) => {
    const denied = by.denialNow(
      identity,
      references.map(({ to }) => reading(to)),
      operation,
    );
    const named = denied && references[denied.index];
    if (!named) return;
    const { from, to } = named;
    const message = `names ${describeKey(to)}: ${denied.message}`;
    throw new ServiceError('forbidden', `${describeKey(from)}: ${to.path} ${message}`, { details: [{ path: to.path, message }] });
  };
}

/** Judges what an apply prunes: the caller needs to be allowed to delete each object. */
export function judgeRemovalsBy(by: Authorizer): JudgeRemovals {
  return (identity, keys, operation) => {
    const denied = by.denialNow(identity, keys.map(deleting), operation);
    if (denied) throw new ServiceError('forbidden', denied.message);
  };
}

/** A write; a new object is named in its body. */
function writeTarget(method: AuthorizedMethod, write: unknown): Target {
  const { kind, namespace, name, body } = isObject(write) ? write : {};
  const metadata = isObject(body) && isObject(body['metadata']) ? body['metadata'] : {};
  return { method, resource: resourceOf(text(kind)), namespace: text(namespace), name: text(name ?? metadata['name']) };
}

function documentTarget(document: unknown, fallback: string): Target {
  const { kind, metadata } = isObject(document) ? document : {};
  const { namespace, name } = isObject(metadata) ? metadata : {};
  return { method: 'POST', resource: resourceOf(text(kind)), namespace: text(namespace) || fallback, name: text(name) };
}

export function guardRuns(runs: RunService, by: Authorizer): RunService {
  const guarded = guardCalls(runs, {
    methods: {
      ...{
        cancel: 'POST',
        continue: 'POST',
        retry: 'POST',
        decide: 'POST',
        approvalRequest: 'GET',
        plan: 'GET',
        logs: 'GET',
        messages: 'GET',
        metrics: 'GET',
      },
      ...{ trace: 'GET', followTrace: 'GET', followText: 'GET', followGrowth: 'GET', agentDefinition: 'GET', definitions: 'GET' },
      ...{ explain: 'GET' },
      ...{ agentLogs: 'GET', held: 'GET' },
    },
    ...{ targetOf: refTarget('tasks'), by },
  });
  const requireShown = async ({ identity }: RequestContext, namespace: string, { system, agents, models, tools }: RunDefinitions) => {
    const shown = [
      { kind: 'AgentSystem', ...system },
      ...agents.map(({ name }) => ({ kind: 'Agent', ...parseRef(name, system.namespace) })),
      ...models.map((model) => ({ kind: 'ModelEndpoint', ...model })),
      ...tools.map((tool) => ({ kind: 'Tool', ...parseRef(tool.name, tool.namespace) })),
    ];
    for (const object of shown) if (object.namespace !== namespace) await by.require(identity, reading(object));
  };
  return overlay(guarded, {
    async retry(context, task, options) {
      const { namespace, name } = task;
      const { toNamespace = namespace } = options ?? {};
      if (toNamespace !== namespace) {
        await by.require(context.identity, reading({ kind: 'Task', namespace, name }));
        await by.require(context.identity, { method: 'POST', resource: 'tasks', namespace: toNamespace, name: '' });
      }
      return guarded.retry(context, task, options);
    },
    async definitions(context, task) {
      const definitions = await guarded.definitions(context, task);
      await requireShown(context, task.namespace, definitions);
      return definitions;
    },
    async agentDefinition(context, task, of) {
      const definition = await guarded.agentDefinition(context, task, of);
      await requireShown(context, task.namespace, await runs.definitions(context, task));
      return definition;
    },
    async agentLogs(context, agent, after) {
      await by.require(context.identity, reading({ kind: 'Agent', ...agent }));
      return runs.agentLogs(context, agent, after);
    },
    async held(context, worker) {
      await by.require(context.identity, { method: 'GET', resource: 'workers', namespace: '', name: worker });
      const held = await runs.held(context, worker);
      return { ...held, runs: await by.filter(context.identity, held.runs, (run) => reading({ kind: 'Task', ...run })) };
    },
  });
}

function guardSessions(sessions: SessionService, by: Authorizer): SessionService {
  const guarded = guardCalls(sessions, {
    methods: {
      ...{ turns: 'GET', events: 'GET', follow: 'GET', checkpoints: 'GET', checkpoint: 'GET', replay: 'GET', diff: 'GET' },
      ...{ submit: 'POST', rewind: 'POST', fork: 'POST', control: 'POST' },
    },
    ...{ targetOf: refTarget('sessions'), by },
  });
  return overlay(guarded, {
    async diff(context, checkpoint, request) {
      if (request.session !== undefined)
        await by.require(context.identity, reading({ kind: 'Session', ...parseRef(request.session, checkpoint.namespace) }));
      return guarded.diff(context, checkpoint, request);
    },
    async fork(context, checkpoint, request) {
      const { namespace = checkpoint.namespace, name } = request;
      await by.require(context.identity, { method: 'POST', resource: 'sessions', namespace, name });
      return guarded.fork(context, checkpoint, request);
    },
  });
}

/** Results hold outputs of runs: reading them is reading Tasks too. */
function guardExperiments(experiments: ExperimentService, by: Authorizer): ExperimentService {
  const guarded = guardCalls(experiments, {
    methods: { results: 'GET', rate: 'PUT', cancel: 'POST', estimate: 'GET' },
    targetOf: refTarget('experiments'),
    by,
  });
  return overlay(guarded, {
    async results(context, experiment, page) {
      await by.require(context.identity, listing('tasks', experiment.namespace));
      return guarded.results(context, experiment, page);
    },
    async estimate(context, draft) {
      await by.require(context.identity, listing('tasks', draft.namespace));
      const from = { kind: 'Experiment', namespace: draft.namespace, name: '' };
      const named = outwardReferences(requireKind('Experiment'), from, specOf('Experiment', { ...from, spec: draft.spec }));
      for (const { to } of named) await by.require(context.identity, reading(to));
      return guarded.estimate(context, draft);
    },
  });
}

/** The answer of a chat is for a caller who may chat with its system now, as the events of a Session are. */
function guardChats(chats: ChatService, by: Authorizer): ChatService {
  const checks = new WeakMap<StartedChat, () => Promise<void>>();
  return overlay(chats, {
    async start(context, request) {
      const check = () => by.require(context.identity, { method: 'POST', resource: 'chat', ...request.system });
      await check();
      const chat = await chats.start(context, request);
      checks.set(chat, check);
      return chat;
    },
    follow: (chat, signal) => whileAllowed(chats.follow(chat, signal), checks.get(chat) ?? neverStarted),
  });
}

const neverStarted = () => Promise.reject(new Error('an answer is read of a call that this server has not started'));

function guardMcpCalls(calls: McpCalls, by: Authorizer): McpCalls {
  const targetOf = refTarget('mcp');
  const calling = ({ namespace, name }: NamespacedName) => targetOf('POST', { namespace, name });
  const guarded = guardCalls(calls, { methods: { start: 'POST', resume: 'POST' } as CallsOf<McpCalls>, targetOf, by });
  const systems = new WeakMap<McpRun, NamespacedName>();
  const called = async (system: NamespacedName, begin: () => Promise<McpRun>): Promise<McpRun> => {
    const run = await begin();
    systems.set(run, system);
    return run;
  };
  return overlay(guarded, {
    start: (context, system, args) => called(system, () => guarded.start(context, system, args)),
    resume: (context, system, handle) => called(system, () => guarded.resume(context, system, handle)),
    async wait(context, run, options) {
      const outcome = await calls.wait(context, run, options);
      const system = systems.get(run);
      if (!system) return neverStarted();
      await by.require(context.identity, calling(system));
      return outcome;
    },
    async systems(context, after) {
      const mayCall = async (system: NamespacedName) => (await by.filter(context.identity, [system], calling)).length > 0;
      const page = await calls.systems(context, after, mayCall);
      const seen = await by.filter(context.identity, page.systems, reading);
      return { ...page, systems: await by.filter(context.identity, seen, calling) };
    },
    // Denied names get the same answer whether they exist or not.
    async find(context, places) {
      const allowed = await by.filter(context.identity, places, calling);
      const found = await calls.find(context, allowed);
      const denied = places.find((place) => !allowed.includes(place));
      if (!found && denied) await by.require(context.identity, calling(denied));
      return found;
    },
  });
}

function guardAuth(auth: AuthService, by: Authorizer): AuthService {
  const token = (method: AuthorizedMethod, name: unknown): Target => ({ method, resource: 'tokens', namespace: '', name: text(name) });
  /** Users and sign-ins are checked as a whole. */
  const people = (method: AuthorizedMethod): Target => ({ method, resource: 'auth', namespace: '', name: '' });
  const signIns = guardCalls(auth, { methods: { listSignIns: 'GET', endSignIn: 'DELETE' } as CallsOf<AuthService>, targetOf: people, by });
  const guarded: Pick<AuthService, 'listTokens' | 'createToken' | 'deleteToken' | 'users'> = {
    users: guardCalls(auth.users, {
      methods: {
        list: 'GET',
        create: 'POST',
        setRole: 'PATCH',
        remove: 'DELETE',
        resetPassword: 'POST',
        changePassword: 'POST',
      } as CallsOf<AuthService['users']>,
      targetOf: people,
      by,
    }),
    async listTokens(context) {
      await by.require(context.identity, token('GET', ''));
      return auth.listTokens(context);
    },
    async createToken(context, body) {
      await by.require(context.identity, token('POST', isObject(body) ? body['name'] : ''));
      return auth.createToken(context, body);
    },
    async deleteToken(context, name) {
      await by.require(context.identity, token('DELETE', name));
      return auth.deleteToken(context, name);
    },
  };
  return overlay(signIns, guarded);
}

function guardWatches(watches: WatchService, by: Authorizer): WatchService {
  return {
    position: (context) => watches.position(context),
    watch: (context, query, options) =>
      guardStream(watches.watch(context, query, options), {
        ...{ by, context },
        first: { method: 'GET', resource: resourceOf(query.kind), namespace: query.namespace ?? '', name: query.name ?? '' },
      }),
    watchChanges: (context, query, options) => guardStream(watches.watchChanges(context, query, options), { by, context }),
    watchEvents: (context, query, options) => guardStream(watches.watchEvents(context, query, options), { by, context }),
    async listEvents(context, query) {
      const page = await watches.listEvents(context, query);
      return { ...page, items: await by.filter(context.identity, page.items, reading) };
    },
  };
}

interface StreamGuard {
  readonly by: Authorizer;
  readonly context: RequestContext;
  /** Question before the stream begins. */
  readonly first?: Target;
}

async function* guardStream<Item extends ResourceKey>(stream: WatchStream<Item>, { by, context, first }: StreamGuard): WatchStream<Item> {
  const { identity } = context;
  if (first) await by.require(identity, first);
  for await (const batch of stream) {
    const items = batch.flatMap((message) => (message.type === 'item' ? [message] : []));
    const allowed = new Set(await by.filter(identity, items, ({ item }) => reading(item)));
    // The position moves on with what is left out, or a client that resumes would read it again.
    const messages = batch.filter((message): message is WatchMessage<Item> => message.type !== 'item' || allowed.has(message));
    if (messages.length > 0) yield messages;
  }
}
