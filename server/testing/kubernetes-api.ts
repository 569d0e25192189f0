// A Kubernetes API server of the tests' own over real HTTP, TLS and WebSocket, with its controllers and one node; nothing of a real cluster's isolation, quotas or timing.
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { mergePatch } from '@svc/shared/json';
import { KubernetesNode, type NodeBehaviour } from './kubernetes-node.ts';
import { illegal, KubernetesStore, type ApiObject, type Selector } from './kubernetes-store.ts';

const NAMESPACE = 'tools';
const ROUTE = /^\/(?:api\/v1|apis\/batch\/v1)\/namespaces\/([^/]+)\/(jobs|pods|secrets)(?:\/([^/]+)(?:\/(log|attach))?)?$/;
const RULES = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';

export interface KubernetesApi {
  readonly url: string;
  readonly store: KubernetesStore;
  readonly node: KubernetesNode;
  readonly behaviour: NodeBehaviour & ApiBehaviour;
  /** `METHOD path?query` of every request. */
  readonly seen: string[];
  /** Every Secret that ever was. */
  readonly secrets: ApiObject[];
  /** How many are open. */
  readonly watches: number;
  /** Ends all open watches; their clients have to list again. */
  dropWatches(): number;
  /** As the Job controller does when a Job's time is up. */
  exceedDeadline(): void;
  close(): Promise<void>;
}

interface ApiBehaviour {
  token: string | undefined;
  /** Refused with 403: `create secrets`. */
  forbidden: string[];
  /** Words of such a refusal in place of the usual ones. */
  refusal: string | undefined;
  /** Number of requests answered with 503. */
  troubles: number;
  /** Logs cannot be read. */
  lostLogs: boolean;
  /** Changes that admission makes to a pod. */
  admit: (pod: ApiObject) => void;
}

export interface KubernetesApiOptions {
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly token?: string;
}

export async function startKubernetesApi({ tls, token }: KubernetesApiOptions = {}): Promise<KubernetesApi> {
  const api = new FakeApi();
  api.behaviour.token = token;
  const handle = (request: IncomingMessage, response: ServerResponse) => void api.handle(request, response).catch(() => response.destroy());
  const server: Server = tls ? createHttpsServer(tls, handle) : createHttpServer(handle);
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (request, socket) => {
    const [, , , pod = ''] = ROUTE.exec(new URL(request.url ?? '', 'http://x').pathname) ?? [];
    const allowed = api.admits(request) && !api.behaviour.forbidden.includes('get pods/attach');
    if (allowed) return void api.node.attach(pod, request, socket);
    socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(api, {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    close: async () => {
      for (const pod of api.store.list('pods')) api.node.kill(pod.metadata.name);
      sockets.forEach((socket) => socket.destroy());
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

class FakeApi {
  readonly store = new KubernetesStore();
  readonly seen: string[] = [];
  readonly secrets: ApiObject[] = [];
  readonly behaviour: NodeBehaviour & ApiBehaviour = {
    token: undefined,
    forbidden: [],
    refusal: undefined,
    troubles: 0,
    lostLogs: false,
    admit: () => undefined,
    lateAttach: false,
    attachFailures: 0,
    cutAttachAfter: Infinity,
    protocols: ['v5.channel.k8s.io', 'v4.channel.k8s.io'],
    full: false,
  };
  readonly node = new KubernetesNode({
    behaviour: this.behaviour,
    secret: (name) => this.store.get('secrets', name)?.['stringData'] as Record<string, string> | undefined,
    report: (pod, status) => void this.store.update('pods', Object.assign(pod, { status })),
  });
  readonly #watches = new Set<ServerResponse>();

  get watches(): number {
    return this.#watches.size;
  }

  dropWatches(): number {
    const dropped = this.#watches.size;
    for (const response of this.#watches) response.destroy();
    return dropped;
  }

  exceedDeadline(): void {
    for (const job of this.store.list('jobs')) {
      const conditions = [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded' }];
      this.store.update('jobs', Object.assign(job, { status: { conditions } }));
      this.#removePods(job);
    }
  }

  admits({ headers }: IncomingMessage): boolean {
    return this.behaviour.token === undefined || headers.authorization === `Bearer ${this.behaviour.token}`;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '' } = request;
    this.seen.push(`${method} ${request.url}`);
    const url = new URL(request.url ?? '', 'http://x');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as ApiObject;
    if (!this.admits(request)) return fail(response, 401, 'Unauthorized');
    if (this.behaviour.troubles-- > 0) return fail(response, 503, 'the apiserver is starting');
    if (url.pathname === RULES) return send(response, 201, { status: { incomplete: false, resourceRules: this.#rules() } });
    const [, namespace = '', resource = '', name, sub] = ROUTE.exec(url.pathname) ?? [];
    const verb = verbOf(method, name, url);
    const what = `${verb} ${sub === undefined ? resource : `${resource}/${sub}`}`;
    const { forbidden, refusal = `jobs is forbidden: User "tester" cannot ${what}` } = this.behaviour;
    if (forbidden.includes(what)) return fail(response, 403, refusal);
    if (namespace !== NAMESPACE) return fail(response, 404, `namespaces "${namespace}" not found`);
    if (method === 'POST') return this.#create(response, resource, body);
    if (name === undefined) return verb === 'watch' ? this.#watch(response, resource, url) : this.#list(response, resource, url);
    const object = this.store.get(resource, name);
    if (!object) return fail(response, 404, `${resource} "${name}" not found`);
    if (sub === 'log') return this.#log(response, name, url);
    if (sub === 'attach') return fail(response, 400, 'Upgrade request required');
    if (method === 'DELETE') this.#delete(resource, object);
    if (method === 'PATCH') this.#patch(object, body);
    send(response, 200, object);
  }

  #create(response: ServerResponse, resource: string, body: ApiObject): void {
    const problem =
      illegal(body) ?? (resource === 'jobs' ? illegal({ metadata: { ...body.metadata, ...body.spec.template.metadata } }) : undefined);
    const image = body.spec?.template?.spec?.containers[0].image as string | undefined;
    const nameless = resource === 'jobs' && (image === undefined || image.trim() !== image || image === '');
    if (problem !== undefined || nameless) return fail(response, 422, problem ?? 'spec.template.spec.containers[0].image: Required value');
    if (this.store.get(resource, body.metadata.name)) return fail(response, 409, 'already exists');
    const metadata = { ...body.metadata, namespace: NAMESPACE };
    const object = this.store.add(resource, Object.assign(body, { metadata }));
    if (resource === 'secrets') this.secrets.push(object);
    if (resource === 'jobs') this.#schedule(object);
    // Deletes dependents whose owner was deleted meanwhile.
    const orphaned = object.metadata.ownerReferences?.some(({ uid }) => !this.store.list('jobs').some((job) => job.metadata.uid === uid));
    if (orphaned === true) this.store.remove(resource, object);
    send(response, 201, object);
  }

  #schedule(job: ApiObject): void {
    if (job.spec.suspend === true) return;
    const { metadata, spec } = structuredClone(job.spec.template) as ApiObject;
    const ownerReferences = [{ uid: job.metadata.uid }];
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, namespace: NAMESPACE, name: `${job.metadata.name}-x7k2p`, ownerReferences },
      spec,
      status: { phase: 'Pending' },
    };
    this.behaviour.admit(pod);
    const added = this.store.add('pods', pod);
    setImmediate(() => {
      if (this.store.get('pods', added.metadata.name) === added) this.node.start(added);
    });
  }

  #patch(object: ApiObject, body: unknown): void {
    Object.assign(object, mergePatch(object, body));
    this.store.update('jobs', object);
    this.#schedule(object);
  }

  #delete(resource: string, object: ApiObject): void {
    this.store.remove(resource, object);
    if (resource !== 'jobs') return;
    this.#removePods(object);
    for (const secret of this.#owned('secrets', object)) this.store.remove('secrets', secret);
  }

  #removePods(job: ApiObject): void {
    for (const pod of this.#owned('pods', job)) {
      pod.metadata.deletionTimestamp = new Date().toISOString();
      this.node.kill(pod.metadata.name);
      this.store.remove('pods', pod);
    }
  }

  #owned(resource: string, { metadata: { uid } }: ApiObject): ApiObject[] {
    return this.store.list(resource, ({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid) === true);
  }

  #list(response: ServerResponse, resource: string, url: URL): void {
    send(response, 200, {
      apiVersion: 'v1',
      kind: 'List',
      metadata: { resourceVersion: this.store.version },
      items: this.store.list(resource, selectorOf(url)),
    });
  }

  #watch(response: ServerResponse, resource: string, url: URL): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const tell = (event: unknown) => void response.write(`${JSON.stringify(event)}\n`);
    const stop = this.store.watch(resource, url.searchParams.get('resourceVersion') ?? '0', { matches: selectorOf(url), tell });
    if (!stop) {
      tell({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' } });
      return void response.end();
    }
    this.#watches.add(response);
    response.on('close', () => {
      this.#watches.delete(response);
      stop();
    });
  }

  #log(response: ServerResponse, name: string, url: URL): void {
    const log = this.node.log(name);
    if (this.behaviour.lostLogs) return fail(response, 500, 'the kubelet does not answer');
    if (!log) return fail(response, 400, 'container "tool" is waiting to start');
    response.writeHead(200, { 'content-type': 'text/plain' }).end(log.subarray(0, Number(url.searchParams.get('limitBytes') ?? Infinity)));
  }

  #rules(): unknown[] {
    const all = {
      batch: { jobs: ['create', 'get', 'list', 'patch', 'delete'] },
      '': { secrets: ['create'], pods: ['list', 'watch'], 'pods/log': ['get'], 'pods/attach': ['get', 'create'] },
    };
    return Object.entries(all).flatMap(([group, resources]) =>
      Object.entries(resources).map(([resource, verbs]) => ({
        apiGroups: [group],
        resources: [resource],
        verbs: verbs.filter((verb) => !this.behaviour.forbidden.includes(`${verb} ${resource}`)),
      })),
    );
  }
}

function verbOf(method: string, name: string | undefined, url: URL): string {
  if (method === 'GET') return name !== undefined ? 'get' : url.searchParams.get('watch') === 'true' ? 'watch' : 'list';
  return { POST: 'create', PATCH: 'patch', DELETE: 'delete' }[method] ?? method;
}

function selectorOf(url: URL): Selector {
  const terms = (url.searchParams.get('labelSelector') ?? '').split(',').filter((term) => term !== '');
  return ({ metadata: { labels = {} } }) =>
    terms.every((term) => {
      const [key = '', value] = term.split('=');
      return value === undefined ? key in labels : labels[key] === value;
    });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function fail(response: ServerResponse, code: number, message: string): void {
  send(response, code, { kind: 'Status', status: 'Failure', message, code });
}
