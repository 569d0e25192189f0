// Address, credentials and trust of the Kubernetes API: the operator's flags, else those that the cluster gives to its own processes. Files are read each time, because tokens rotate.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent } from 'undici';
import { trimEnd } from '@svc/shared/trim-end';
import { CallError } from '../../../engine/ports.ts';
import type { KubernetesConfig } from '../../runtime.ts';

const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount';
const DEFAULT_NAMESPACE = 'default';
const CONNECT_MAX_MS = 5_000;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export type ClusterFlags = Omit<KubernetesConfig, 'jobTtlMs'>;

/** Variables and files that Kubernetes gives to the processes that run in it. */
export interface ClusterEnvironment {
  /** KUBERNETES_SERVICE_HOST. */
  readonly host: string | undefined;
  /** KUBERNETES_SERVICE_PORT. */
  readonly port: string | undefined;
  /** Absent: where Kubernetes puts it. */
  readonly serviceAccountDir?: string;
}

export interface Connection {
  /** Without a slash at its end. */
  readonly base: string;
  readonly namespace: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatcher: Agent;
}

export class Cluster {
  readonly #flags: ClusterFlags;
  readonly #environment: ClusterEnvironment;
  #agent: { readonly ca: string | undefined; readonly agent: Agent } | undefined;

  constructor(flags: ClusterFlags, environment: ClusterEnvironment) {
    this.#flags = flags;
    this.#environment = environment;
  }

  /** Rejects with CallError `isolation_unavailable`, not retryable, when the configuration does not say enough; `what` begins the message. */
  async connection(what: string): Promise<Connection> {
    const url = this.#url(what);
    const secure = url.protocol === 'https:';
    const [namespace, token, ca] = await Promise.all([this.#namespace(), this.#token(secure, what), secure ? this.#ca(what) : undefined]);
    return {
      base: `${url.origin}${trimEnd(url.pathname, '/')}`,
      namespace,
      headers: { accept: 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      dispatcher: this.#dispatcher(ca),
    };
  }

  /** Idempotent. */
  async close(): Promise<void> {
    await this.#agent?.agent.destroy();
    this.#agent = undefined;
  }

  #url(what: string): URL {
    const given = this.#flags.apiUrl ?? inClusterUrl(this.#environment);
    if (given === undefined) {
      throw notConfigured(`${what}: this process runs in no Kubernetes cluster; name the API with --kubernetes-api-url`);
    }
    const url = URL.canParse(given) ? new URL(given) : undefined;
    const allowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
    if (!url || !allowed || url.username !== '' || url.password !== '' || url.search !== '') {
      // The value is not quoted: it may hold a password.
      throw notConfigured(
        `${what}: --kubernetes-api-url must be an https URL without user and query, or http to this machine's loopback (kubectl proxy)`,
      );
    }
    return url;
  }

  async #namespace(): Promise<string> {
    return this.#flags.namespace ?? (await this.#accountFile('namespace')) ?? DEFAULT_NAMESPACE;
  }

  /** Without TLS only a token that was requested is sent: a proxy on loopback has its own. */
  async #token(secure: boolean, what: string): Promise<string | undefined> {
    const { tokenFile } = this.#flags;
    if (tokenFile !== undefined) return required(tokenFile, `${what}: the file of --kubernetes-token-file`);
    if (!secure) return undefined;
    const token = await this.#accountFile('token');
    if (token !== undefined) return token;
    throw notConfigured(`${what}: there is no service account token here; name a file with --kubernetes-token-file`);
  }

  async #ca(what: string): Promise<string | undefined> {
    const { caFile } = this.#flags;
    return caFile === undefined ? this.#accountFile('ca.crt') : required(caFile, `${what}: the file of --kubernetes-ca-file`);
  }

  async #accountFile(name: string): Promise<string | undefined> {
    return readText(join(this.#environment.serviceAccountDir ?? SERVICE_ACCOUNT_DIR, name));
  }

  #dispatcher(ca: string | undefined): Agent {
    if (this.#agent && this.#agent.ca === ca) return this.#agent.agent;
    // Requests in flight end as they began.
    void this.#agent?.agent.close();
    const agent = new Agent({ connect: { timeout: CONNECT_MAX_MS, ...(ca !== undefined && { ca }) } });
    this.#agent = { ca, agent };
    return agent;
  }
}

function inClusterUrl({ host, port }: ClusterEnvironment): string | undefined {
  if (!host) return undefined;
  return `https://${host.includes(':') ? `[${host}]` : host}:${port || '443'}`;
}

async function required(path: string, file: string): Promise<string> {
  const text = await readText(path);
  if (text !== undefined) return text;
  throw notConfigured(`${file} cannot be read or is empty`);
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim() || undefined;
  } catch {
    return undefined;
  }
}

function notConfigured(message: string): CallError {
  return new CallError('isolation_unavailable', message, { retryable: false, reason: 'not_configured' });
}
