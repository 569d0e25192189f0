// The proxy of the environment, by the rules of curl: HTTPS_PROXY and HTTP_PROXY, by the scheme of the server, and NO_PROXY. Every connection
// through it is a tunnel (CONNECT), so the proxy reads nothing of https; a token over http is refused. Loopback needs no proxy.
import { BlockList, isIP, isIPv6 } from 'node:net';
import { Pool, ProxyAgent, type Dispatcher } from 'undici';
import { CliError, EXIT, usageError } from '../program/exit-codes.ts';

export interface Proxy {
  /** Without credentials. */
  readonly url: URL;
  /** Value of Proxy-Authorization. */
  readonly authorization: string | undefined;
  /** Variable of the environment that names it. */
  readonly variable: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const PROXY_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  'https:': ['https_proxy', 'HTTPS_PROXY'],
  'http:': ['http_proxy', 'HTTP_PROXY'],
};
/** For connections to the proxy, and for TLS through it. */
const CONNECT_TIMEOUT_MS = 5_000;
/** For the answer to CONNECT: the proxy first connects to the server. */
const TUNNEL_TIMEOUT_MS = 30_000;
const LOOPBACK = ['localhost', '127.0.0.0/8', '::1'];

/** Undefined where connections to `target` need none. Throws a usage error where its variable cannot be used, without its value. */
export function proxyFor(target: URL, env: Environment): Proxy | undefined {
  const variable = PROXY_VARIABLES[target.protocol]?.find((name) => env[name]);
  if (variable === undefined || isExempt(target, env['no_proxy'] || env['NO_PROXY'] || '')) return undefined;
  const text = env[variable]?.trim() ?? '';
  const address = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw usageError(`${variable} does not name an http or https proxy`, 'write it like http://proxy.example.com:3128');
  const { username, password } = url;
  url.username = url.password = '';
  const credentials = `${decoded(username)}:${decoded(password)}`;
  return { url, variable, authorization: credentials === ':' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function isExempt({ protocol, hostname, port }: URL, noProxy: string): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, '');
  const hostPort = port || (protocol === 'https:' ? '443' : '80');
  if (LOOPBACK.some((entry) => covers(entry, host))) return true;
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, name = entry, entryPort = hostPort] = (!isIPv6(entry) && /^(.+):(\d+)$/.exec(entry)) || [];
      return entryPort === hostPort && (name === '*' || covers(name.replace(/^\*?\.|^\[|\]$/g, ''), host));
    });
}

/** `entry` is a host, which stands for its subdomains too, an address, or a range of addresses. */
function covers(entry: string, host: string): boolean {
  const [address = '', bits] = entry.split('/');
  const version = isIP(address);
  if (version === 0) return entry !== '' && (host === entry || host.endsWith(`.${entry}`));
  const longest = version === 6 ? 128 : 32;
  const prefix = bits === undefined ? longest : Number(bits);
  if (isIP(host) === 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > longest) return false;
  const range = new BlockList();
  range.addSubnet(address, prefix, familyOf(address));
  return range.check(host, familyOf(host));
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

const titleOf = ({ url, variable }: Proxy): string => `the proxy ${url.host} (${variable})`;

export interface Proxies {
  /** Undefined where requests to `target` need no proxy. Throws a usage error where the proxy cannot be used, or could read the token of a request. */
  readonly dispatcherTo: (target: URL, carriesToken: boolean) => Dispatcher | undefined;
  readonly close: () => Promise<void>;
}

/** Requests through its dispatchers fail with a CliError where the proxy is the cause. */
export function createProxies(env: Environment, { headersTimeoutMs }: { readonly headersTimeoutMs: number }): Proxies {
  const dispatchers = new Map<string, Dispatcher>();
  return {
    dispatcherTo(target, carriesToken) {
      const proxy = proxyFor(target, env);
      if (!proxy) return undefined;
      if (carriesToken && target.protocol !== 'https:') throw readable(proxy, target);
      const dispatcher = dispatchers.get(proxy.variable) ?? createDispatcher(proxy, headersTimeoutMs);
      dispatchers.set(proxy.variable, dispatcher);
      return dispatcher;
    },
    close: async () => void (await Promise.all([...dispatchers.values()].map((each) => each.destroy()))),
  };
}

const readable = (proxy: Proxy, { origin, hostname }: URL): CliError =>
  usageError(
    `the token for ${origin} would pass ${titleOf(proxy)} in clear`,
    `use an https address, or add ${hostname} to NO_PROXY to connect without the proxy`,
  );

function createDispatcher(proxy: Proxy, headersTimeoutMs: number): Dispatcher {
  return new ProxyAgent({
    uri: proxy.url.href,
    ...(proxy.authorization !== undefined && { token: proxy.authorization }),
    proxyTls: { timeout: CONNECT_TIMEOUT_MS },
    requestTls: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: headersTimeoutMs,
    bodyTimeout: 0,
    clientFactory: (origin, options) => {
      const pool = new Pool(origin, { ...options, headersTimeout: TUNNEL_TIMEOUT_MS });
      const connect = (request: Dispatcher.ConnectOptions) =>
        new Promise<Dispatcher.ConnectData>((resolve, reject) => {
          Pool.prototype.connect.call(pool, request, (error, answer) => (error ? reject(error) : resolve(answer)));
        });
      return Object.assign(pool, { connect: (request: Dispatcher.ConnectOptions) => tunnel(proxy, request.path, connect(request)) });
    },
  });
}

async function tunnel(proxy: Proxy, target: string, connecting: Promise<Dispatcher.ConnectData>): Promise<Dispatcher.ConnectData> {
  const options = {
    exitCode: EXIT.unreachable,
    hint: `check ${proxy.variable}, or add ${target.replace(/:\d+$/, '')} to NO_PROXY to connect without the proxy`,
  };
  const answer = await connecting.catch((cause: unknown) => {
    throw new CliError(`cannot connect to ${titleOf(proxy)}: ${problemOf(cause)}`, { ...options, cause });
  });
  if (answer.statusCode === 200) return answer;
  answer.socket.on('error', () => undefined).destroy();
  const refusal = REFUSALS[answer.statusCode] ?? 'could not connect to';
  throw new CliError(`${titleOf(proxy)} ${refusal} ${target}: it answered ${answer.statusCode}`, options);
}

const REFUSALS: Readonly<Record<number, string>> = {
  403: 'does not permit connections to',
  407: 'requires valid credentials for connections to',
};

const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name is unknown',
  ETIMEDOUT: 'no answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'no answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_SOCKET: 'it closed the connection',
  ECONNRESET: 'it closed the connection',
};

function problemOf(error: unknown): string {
  const { code = '', message } = error as { readonly code?: string; readonly message?: string };
  return PROBLEMS[code] ?? (message || code);
}
