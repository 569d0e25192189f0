// Settings that svcd doctor prints and judges, one row each. Pure; shows no value that may hold a secret.
import { formatDuration } from '@svc/shared/duration';
import { ServiceError } from '@svc/shared/errors';
import { readEnvTokens, shortTokenProblems } from '../../auth/tokens.ts';
import { isLoopback } from '../../config/flag-values.ts';
import type { Config } from '../../config.ts';
import { requireLongTokens, requireSafeAddress } from '../safe-address.ts';
import type { RetentionLimits, TaskRetention } from '../../controllers/retention/limits.ts';

export interface Setting {
  readonly flag: string;
  readonly value: (config: Config) => string;
  /** Why the value is loose and what to do; undefined where it is not. */
  readonly warning?: (config: Config) => string | undefined;
  /** Why a server refuses to start with the value, in its words. */
  readonly refusal?: (config: Config) => string | undefined;
}

export interface Finding {
  readonly name: string;
  readonly value: string;
  readonly warning?: string;
  /** The server could not work like this. */
  readonly failed?: boolean;
}

const TOKEN_MIN_CHARS = 20;
const WIDE_CIDR_BITS = 8;
const MIB = 1024 * 1024;

const list = (items: readonly string[]) => (items.length === 0 ? 'none' : items.join(', '));
export const countText = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
const counted = (count: number, noun: string) => (count === 0 ? 'none' : countText(count, noun));
const onOff = (on: boolean) => (on ? 'on' : 'off');
const size = (bytes: number) => `${Math.round(bytes / MIB)} MiB`;
const when = (loose: boolean, warning: string) => (loose ? warning : undefined);

/** Second fields of `name:token:role`. */
const tokensOf = ({ apiKey, apiTokens }: Config): string[] =>
  apiTokens === undefined ? (apiKey === undefined ? [] : [apiKey]) : apiTokens.split(',').map((entry) => entry.split(':')[1]?.trim() ?? '');

const isFloating = (image: string) => !image.includes('@') && (!/:[^/]+$/.test(image) || image.endsWith(':latest'));

function retentionText({ general, namespaces }: TaskRetention): string {
  const limits = ({ ageMs, count }: RetentionLimits) => [
    ...(ageMs === undefined ? [] : [formatDuration(ageMs)]),
    ...(count === undefined ? [] : [String(count)]),
  ];
  const own = [...namespaces].flatMap(([namespace, each]) => limits(each).map((limit) => `${namespace}=${limit}`));
  return [...(general ? limits(general) : []), ...own].join(',');
}

function isWide(cidr: string): boolean {
  const bits = /\/(\d+)$/.exec(cidr)?.[1];
  return bits !== undefined && Number(bits) <= WIDE_CIDR_BITS;
}

export const SETTINGS: readonly Setting[] = [
  {
    flag: '--addr',
    value: ({ addr }) => `${addr.host}:${addr.port}`,
    warning: ({ addr, publicUrl }) =>
      when(
        !isLoopback(addr) && !publicUrl?.startsWith('https:'),
        'plain HTTP beyond loopback: put a TLS proxy in front, set --public-url https://…',
      ),
  },
  {
    flag: 'SVC_API_TOKENS',
    value: (config) => counted(tokensOf(config).length, 'token'),
    refusal: refusedStart,
    warning: (config) => {
      const tokens = tokensOf(config);
      if (tokens.length === 0)
        return when(
          !isLoopback(config.addr) && !config.native,
          'no token beyond loopback: everybody is an admin unless stored tokens exist',
        );
      return when(
        tokens.some(({ length }) => length < TOKEN_MIN_CHARS),
        `a token has fewer than ${TOKEN_MIN_CHARS} characters`,
      );
    },
  },
  {
    flag: '--allow-unauthenticated',
    value: ({ allowUnauthenticated }) => onOff(allowUnauthenticated),
    warning: ({ allowUnauthenticated }) => when(allowUnauthenticated, 'permits a server that needs no token on an open address'),
  },
  {
    flag: '--secret-encryption-key',
    value: ({ secretEncryptionKeys: keys }) => counted(keys.length, 'key'),
    warning: ({ secretEncryptionKeys: keys }) => when(keys.length === 0, 'Secrets and the decision key are stored unencrypted'),
  },
  {
    flag: '--trusted-proxies',
    value: ({ trustedProxies }) => list(trustedProxies),
    warning: ({ trustedProxies }) => when(trustedProxies.some(isWide), 'a very wide range may set client addresses; list only the proxies'),
  },
  {
    flag: '--cors-origins',
    value: ({ corsOrigins }) => list(corsOrigins),
    warning: ({ corsOrigins }) => when(corsOrigins.includes('*'), 'every web page may call the API'),
  },
  {
    flag: '--audit-log',
    value: ({ auditLog }) => auditLog ?? 'none',
    warning: ({ auditLog }) => when(auditLog === undefined, 'no audit record is kept of who wrote and decided'),
  },
  { flag: '--approvals-need-other', value: ({ approvalsNeedOther }) => onOff(approvalsNeedOther) },
  {
    flag: '--default-tool-verdict',
    value: ({ tools }) => tools.defaultVerdict,
    warning: ({ tools }) => when(tools.defaultVerdict === 'allow', 'a listed tool that no rule governs is called without approval'),
  },
  {
    flag: '--allow-private-tool-endpoints',
    value: ({ tools }) => onOff(tools.allowPrivateEndpoints),
    warning: ({ tools }) => when(tools.allowPrivateEndpoints, 'tools may reach loopback and private addresses'),
  },
  {
    flag: '--allow-private-model-endpoints',
    value: ({ allowPrivateModelEndpoints }) => onOff(allowPrivateModelEndpoints),
    warning: ({ allowPrivateModelEndpoints: on }) => when(on, 'ModelEndpoints may reach loopback and private addresses'),
  },
  {
    flag: '--unisolated-cli-tools',
    value: ({ tools }) => tools.unisolatedCli,
    warning: ({ tools }) => when(tools.unisolatedCli === 'admin', 'commands declared by an admin run as the user of the worker'),
  },
  { flag: '--tool-isolation-backend', value: ({ tools }) => tools.isolationBackend },
  {
    flag: '--container-network',
    value: ({ tools }) => tools.containerNetwork,
    warning: ({ tools }) => when(tools.containerNetwork !== 'none', 'containers have a network, which the egress rules do not reach into'),
  },
  {
    flag: '--allowed-container-networks',
    value: ({ tools }) => list(tools.ceilings.networks),
    warning: ({ tools }) =>
      when(
        tools.ceilings.networks.some((name) => name !== 'none'),
        'tools may choose a network that the egress rules do not reach into',
      ),
  },
  {
    flag: '--allowed-images',
    value: ({ tools }) => list(tools.ceilings.images.patterns),
    warning: ({ tools }) => when(tools.ceilings.images.patterns.includes('*'), 'images of every named registry run; list those in use'),
  },
  {
    flag: '--require-image-digests',
    value: ({ tools }) => onOff(tools.ceilings.images.digestsRequired),
    warning: ({ tools }) => when(!tools.ceilings.images.digestsRequired, 'a tag may be moved to another image'),
  },
  {
    flag: '--tool-container-image',
    value: ({ tools }) => tools.containerImage ?? 'none',
    warning: ({ tools }) => when(tools.containerImage !== undefined && isFloating(tools.containerImage), 'has no fixed tag or digest'),
  },
  {
    flag: '--container-disk-max',
    value: ({ tools: { ceilings } }) => (ceilings.containerDiskMaxBytes === 0 ? 'no limit' : size(ceilings.containerDiskMaxBytes)),
    warning: ({ tools }) => when(tools.ceilings.containerDiskMaxBytes === 0, 'a tool in a container may fill the disk of its engine'),
  },
  { flag: '--container-memory-max', value: ({ tools }) => size(tools.ceilings.containerMemoryMaxBytes) },
  { flag: '--container-cpus-max', value: ({ tools }) => String(tools.ceilings.containerCpusMax) },
  { flag: '--wasm-memory-max', value: ({ tools }) => size(tools.ceilings.wasmMemoryMaxBytes) },
  { flag: '--wasm-memory-total', value: ({ tools }) => size(tools.ceilings.wasmMemoryTotalBytes) },
  {
    flag: '--enable-kubernetes-isolation',
    value: ({ tools }) => onOff(tools.kubernetes !== undefined),
    warning: ({ tools }) => when(tools.kubernetes !== undefined, 'pods have the network of the cluster; restrict it with a NetworkPolicy'),
  },
  { flag: '--max-connections', value: ({ maxConnections }) => String(maxConnections) },
  { flag: '--max-connections-per-ip', value: ({ maxConnectionsPerIp }) => String(maxConnectionsPerIp ?? 'a quarter of --max-connections') },
  {
    flag: '--max-requests-per-second',
    value: ({ maxRequestsPerSecond: rate }) => (rate === 0 ? 'any number' : String(rate)),
    warning: ({ maxRequestsPerSecond: rate }) => when(rate === 0, 'one client may use up the whole server'),
  },
  { flag: '--max-watches', value: ({ maxWatches }) => String(maxWatches) },
  { flag: '--change-retention', value: ({ changeRetention }) => String(changeRetention) },
  {
    flag: '--version-retention',
    value: ({ versionRetention: { count, ageMs } }) =>
      count === 0 ? 'none: no versions' : [...(ageMs === undefined ? [] : [formatDuration(ageMs)]), count].join(','),
  },
  {
    flag: '--task-retention',
    value: ({ taskRetention }) => (taskRetention === undefined ? 'none: every task stays' : retentionText(taskRetention)),
  },
  {
    flag: '--approval-retention',
    value: ({ approvalRetention }) => (approvalRetention === undefined ? 'none: every approval stays' : retentionText(approvalRetention)),
  },
  {
    flag: '--session-retention',
    value: ({ sessionRetention }) => (sessionRetention === undefined ? 'none: every Session stays' : retentionText(sessionRetention)),
  },
  {
    flag: '--chat-retention',
    value: ({ chatRetention }) => retentionText(chatRetention) || 'none: every chat stays',
  },
  {
    flag: '--task-max-takeovers',
    value: ({ worker }) => (worker.takeoversMax === 0 ? 'any number' : String(worker.takeoversMax)),
    warning: ({ worker }) => when(worker.takeoversMax === 0, 'a run that ends its workers is never dead-lettered'),
  },
];

export function judgeSettings(config: Config): Finding[] {
  return SETTINGS.map(({ flag, value, warning, refusal }) => {
    const refused = refusal?.(config);
    const said = refused ?? warning?.(config);
    return {
      name: flag,
      value: value(config),
      ...(said !== undefined && { warning: said }),
      ...(refused !== undefined && { failed: true }),
    };
  });
}

/** The checks of a start. Stored tokens are in the database, which is not read. */
function refusedStart(config: Config): string | undefined {
  const { addr, native, allowUnauthenticated } = config;
  const message = (check: () => void): string | undefined => {
    try {
      check();
      return undefined;
    } catch (error) {
      if (error instanceof ServiceError) return error.message;
      throw error;
    }
  };
  const tokens = message(() => {
    readEnvTokens(config);
    requireLongTokens(addr, { problems: shortTokenProblems(config), allowUnauthenticated });
  });
  if (tokens !== undefined) return `the server refuses to start: ${tokens}`;
  const authEnabled = tokensOf(config).length > 0 || native !== undefined;
  const open = message(() => requireSafeAddress(addr, { authEnabled, allowUnauthenticated }));
  return open && `the server refuses to start, unless its database holds tokens: ${open}`;
}
