// The flags of svcd and of svcd worker, in the order of their help. Declares them; config.ts reads them.
import { Option, type Command } from 'commander';
import { ARGV_MAX_BYTES_DEFAULT } from '@svc/shared/cli-template';
import { LOG_LEVELS } from '../log/log.ts';
import type { FlagTable } from './flag-table.ts';
import {
  CHAT_RETENTION_DEFAULT,
  VERSION_RETENTION_DEFAULT,
  parseAddr,
  parseBasePath,
  parseChatRetention,
  parseCount,
  parseCountOrZero,
  parseImage,
  parseKeys,
  parseList,
  parseMs,
  parseMsAtLeast,
  parseMsAtMost,
  parseObjectRetention,
  parseOrigins,
  parsePath,
  parseProxies,
  parseRate,
  parseVersionRetention,
  parseWorkerId,
} from './flag-values.ts';
import { SECRET_ENV_PREFIX_DEFAULT } from './own-variables.ts';

const MAX_CONNECTIONS_DEFAULT = 10;
const MAX_CONCURRENT_TASKS_DEFAULT = 16;

/** Its variable has another name than the rule gives, so it is no entry of the table. */
export function apiKeyFlag(command: Command): void {
  const help = 'one admin token, used when SVC_API_TOKENS is empty; prefer the variable, flags show in process listings';
  command.addOption(new Option('--api-key <token>', help).env('SVC_API_TOKEN'));
}

export function serverAddressFlags(flags: FlagTable): void {
  flags.typed('addr', {
    value: 'host:port',
    parse: parseAddr,
    help: 'address to listen on; port 0 picks a free one',
    fallback: { host: '127.0.0.1', port: 8080 },
    shown: '127.0.0.1:8080',
  });
  dataDirFlag(flags);
}

export function dataDirFlag(flags: FlagTable, help = 'where the embedded database lives'): void {
  flags.typed('data-dir', { value: 'dir', parse: parsePath, help, fallback: './.svc-data' });
}

export function workerAddressFlags(flags: FlagTable): void {
  flags.typed('addr', {
    value: 'host:port',
    parse: parseAddr,
    help: 'address that serves /healthz, /readyz and /metrics, without a token, and nothing else; port 0 picks a free one (default: none)',
  });
}

export function databaseFlags(flags: FlagTable, absent: string): void {
  flags.text('database-url', {
    value: 'url',
    help: `PostgreSQL that holds the shared state, postgres://user@host:5432/database; ${absent}; prefer the variable when it holds a password, flags show in process listings`,
  });
  flags.count('database-max-connections', {
    help: 'maximum of connections of this process to PostgreSQL, plus one for notifications',
    fallback: MAX_CONNECTIONS_DEFAULT,
  });
}

function secretKeyFlag(flags: FlagTable): void {
  flags.typed('secret-encryption-key', {
    value: 'keys',
    parse: parseKeys,
    help: '256-bit key, 64 hex or 44 base64 characters, that encrypts Secret values at rest; several, newest first, by commas or white space while keys are rotated; the same in every process on one database; prefer the variable, flags show in process listings',
    fallback: [] as string[],
    shown: 'none: Secret values are stored unencrypted',
  });
}

/** Settings of commands that work on a database and end. */
function existingDatabaseFlags(flags: FlagTable): void {
  dataDirFlag(flags);
  databaseFlags(flags, 'absent: the embedded database in --data-dir');
}

export const migrateFlags = (flags: FlagTable): void => existingDatabaseFlags(flags);

export function resetAdminFlags(flags: FlagTable): void {
  existingDatabaseFlags(flags);
  flags.text('username', { value: 'name', help: 'name of the admin' });
}

function maintenanceFlags(flags: FlagTable): void {
  existingDatabaseFlags(flags);
  secretKeyFlag(flags);
}

export function sealKeyFlags(flags: FlagTable): void {
  maintenanceFlags(flags);
  flags.bool('replace', 'make another key pair: for a leaked one, or one whose encryption key is lost; everything has to be sealed again');
}

export function rotationFlags(flags: FlagTable): void {
  maintenanceFlags(flags);
  flags.bool(
    'adopt-unsealed',
    'accept values that are stored without encryption: once, for the first key of a database that holds decision records, or when you know that nobody else wrote them',
  );
}

/** A timer of Node ends at once beyond 24.8 days. */
const GRACE_MOST_MS = 24 * 3_600_000;

/** Settings of every process that opens the store, resolves Secrets and writes a log. */
export function processFlags(flags: FlagTable): void {
  secretKeyFlag(flags);
  flags.text('secret-env-prefix', {
    value: 'prefix',
    help: 'prefix of the variables that Secret references fall back to; a reference never reads a variable that configures svcd',
    fallback: SECRET_ENV_PREFIX_DEFAULT,
  });
  flags.choice('log-level', { values: LOG_LEVELS, help: 'least severe level to log', fallback: 'info' });
  flags.choice('log-format', { values: ['json', 'pretty'], help: 'log line format (default: pretty on a terminal, else json)' });
  flags.typed('shutdown-grace', {
    value: 'duration',
    parse: parseMsAtMost(GRACE_MOST_MS),
    help: 'longest a shutdown may take; at most 24h',
    fallback: 20_000,
    shown: '20s',
  });
  flags.url('otlp-endpoint', { help: 'OTLP/HTTP collector that traces go to, http://host:4318; wins over the standard OTEL_ variables' });
}

function publicUrlFlag(flags: FlagTable, help: string): void {
  flags.url('public-url', { help });
}

/** How clients reach the server, and what it believes of them. */
function publishedFlags(flags: FlagTable): void {
  flags.typed('trusted-proxies', {
    value: 'cidrs',
    parse: parseProxies,
    help: 'comma-separated addresses whose X-Forwarded-* headers count',
    fallback: [],
    shown: 'none',
  });
  flags.typed('cors-origins', {
    value: 'origins',
    parse: parseOrigins,
    help: 'comma-separated browser origins that may call the API',
    fallback: [],
    shown: 'none',
  });
  publicUrlFlag(flags, 'the address clients and tools use, when it is not the listen address');
  flags.typed('base-path', {
    value: 'path',
    parse: parseBasePath,
    help: 'path prefix under which a proxy publishes the server, /svc; requests are accepted with it and without it',
    shown: 'the path of --public-url',
  });
  flags.bool('ui', 'serve the web console at the root of the address', { value: true });
}

export function serverFlags(flags: FlagTable): void {
  flags.bool(
    'allow-other-secret-key',
    'start although this database is encrypted with a key that this process does not have, to write Secrets again after that key was lost',
  );
  flags.bool('allow-unauthenticated', 'listen beyond loopback although no token is set');
  flags.bool('enable-terminal', 'let admins open terminals in the console: shells on this machine, as the user of this process');
  flags.bool(
    'offer-environment-keys',
    'offer admins in the console the keys of model providers, such as OPENAI_API_KEY, that are in the environment of this process',
  );
  flags.url('authorizer-url', {
    help: 'address of an authorizer that must allow identity, method, resource, namespace and name of each request, in addition to roles; without an answer nothing is allowed',
    shown: 'none: only roles decide',
  });
  flags.choice('auth-mode', {
    values: ['off', 'native'],
    help: 'sign-in for people: native has users with names and passwords; bearer tokens work in either',
    fallback: 'off',
  });
  flags.text('setup-token', {
    value: 'token',
    help: 'with --auth-mode native: token that the request for the first admin must carry; prefer the variable, flags show in process listings',
  });
  publishedFlags(flags);
  flags.choice('crd-conflict-policy', {
    values: ['off', 'warn', 'reject'],
    help: 'what an API write to a CRD-managed object gets',
    fallback: 'off',
  });
  flags.bool(
    'approvals-need-other',
    'refuse decisions on approvals by the creator of the Task or the last writer of the rule; needs authentication',
  );
  flags.count('max-watches', { help: 'open watch streams in this process', fallback: 1000 });
  flags.count('max-watches-per-ip', { help: 'open watch streams of one client address', fallback: 100 });
  flags.count('max-connections', { help: 'open connections of this process; further ones are dropped', fallback: 4096 });
  flags.count('max-connections-per-ip', {
    help: 'open connections of one client address, those of --trusted-proxies excepted; further ones are dropped',
    shown: 'a quarter of --max-connections, any number from loopback',
  });
  flags.typed('max-requests-per-second', {
    value: 'count',
    parse: parseCountOrZero,
    help: 'requests and calls of one token, or of one address without authentication; 0: any number',
    fallback: 5000,
  });
  flags.count('change-retention', { help: 'changes kept for watches to resume from', fallback: 200_000 });
  retentionFlags(flags);
}

function retentionFlags(flags: FlagTable): void {
  flags.typed('version-retention', {
    value: 'limits',
    parse: parseVersionRetention,
    help: 'replaced specs that are kept of each object: the age since their replacement (90d), the count of the newest (100, at most 10000), or both; none: no versions',
    fallback: parseVersionRetention(''),
    shown: VERSION_RETENTION_DEFAULT,
  });
  flags.typed('task-retention', {
    value: 'limits',
    parse: parseObjectRetention,
    help: 'when finished tasks are deleted with their journals: comma-separated ages since the end (30d) and counts of the newest kept in each namespace (10000); with a prefix (team-a=24h) for one namespace in place of the general ones',
    shown: 'none: every task stays',
  });
  flags.typed('approval-retention', {
    value: 'limits',
    parse: parseObjectRetention,
    help: 'when decided and expired approvals are deleted once their task is deleted, in the form of --task-retention, counted from the decision',
    shown: 'none: every approval stays',
  });
  flags.typed('session-retention', {
    value: 'limits',
    parse: parseObjectRetention,
    help: 'when Sessions are deleted with their tasks once they have ended, in the form of --task-retention; those of chats and A2A have --chat-retention',
    shown: 'none: every Session stays',
  });
  flags.typed('chat-retention', {
    value: 'limits',
    parse: parseChatRetention,
    help: 'when Sessions that chat completions requests made are deleted with their tasks once they have ended, in the form of --task-retention; none: every one stays',
    fallback: parseChatRetention(''),
    shown: CHAT_RETENTION_DEFAULT,
  });
}

export function embeddedWorkerFlags(flags: FlagTable): void {
  flags.bool('embedded-worker', 'run tasks in this process', {
    value: undefined,
    shown: 'true with the embedded database, false with --database-url',
  });
  flags.count('embedded-worker-max-concurrent-tasks', {
    help: 'tasks the embedded worker runs at once',
    fallback: MAX_CONCURRENT_TASKS_DEFAULT,
  });
}

export function workerProcessFlags(flags: FlagTable): void {
  publicUrlFlag(flags, 'the address of the servers, where tools send their replies; without it tools of type webhook-callback are polled');
  flags.count('max-concurrent-tasks', { help: 'tasks this worker runs at once', fallback: MAX_CONCURRENT_TASKS_DEFAULT });
}

/** Below these a worker does nothing but renew. */
const LEASE_LEAST_MS = 100;
const HEARTBEAT_LEAST_MS = 10;

/** Flags of every worker: its offer and how it holds its claims; its Worker object is made from them. */
export function workerFlags(flags: FlagTable): void {
  flags.typed('worker-id', {
    value: 'id',
    parse: parseWorkerId,
    help: 'name of the worker and of its Worker object, its own among all that run (default: the host name and process id)',
  });
  flags.text('region', { value: 'name', help: 'region the worker offers' });
  flags.bool('gpu', 'the worker offers a GPU');
  flags.typed('supported-models', {
    value: 'names',
    parse: parseList,
    help: 'comma-separated models the worker serves; a task with requirements.model goes only to a worker that names it here',
    fallback: [],
    shown: 'none',
  });
  flags.typed('task-lease-duration', {
    value: 'duration',
    parse: parseMsAtLeast(LEASE_LEAST_MS),
    help: 'how long a claim holds without a heartbeat; at least 100ms',
    fallback: 30_000,
    shown: '30s',
  });
  flags.typed('task-heartbeat-interval', {
    value: 'duration',
    parse: parseMsAtLeast(HEARTBEAT_LEAST_MS),
    help: 'how often claims are renewed and the Worker object says that it lives; at least 10ms',
    shown: '10s, or a third of a lease below 30s',
  });
  flags.typed('task-max-takeovers', {
    value: 'count',
    parse: parseCountOrZero,
    help: 'a run that workers lose this often without progress is dead-lettered as poisoned; 0: never. The same for all workers of a database',
    fallback: 3,
  });
}

/** Flags of tools and their governance, wherever tools run: in a server with a built-in worker, or in a worker. */
export function toolFlags(flags: FlagTable): void {
  flags.bool('allow-private-tool-endpoints', 'let tools reach loopback and private addresses');
  flags.bool('a2a-allow-private-endpoints', 'let tools of type a2a, and push notifications, reach loopback and private addresses');
  flags.text('a2a-trusted-card-keys', {
    value: 'file',
    help: 'JWK set of the keys that may sign the cards of remote agents; a card with another signature is refused',
  });
  flags.bool('a2a-require-signed-cards', 'refuse remote agents whose card has no signature by one of --a2a-trusted-card-keys');
  flags.choice('default-tool-verdict', {
    values: ['allow', 'deny'],
    help: 'verdict on a listed tool when no ToolPermission governs the call, or no operation rule covers its class',
    fallback: 'allow',
  });
  flags.choice('tool-isolation-backend', {
    values: ['auto', 'docker', 'none'],
    help: 'container engine for tools: auto uses Docker where it answers, docker reports not ready where it does not, none has no engine',
    fallback: 'auto',
  });
  flags.text('container-network', { value: 'mode', help: 'network of tool containers that name none', fallback: 'none' });
  flags.typed('tool-container-image', {
    value: 'image',
    parse: parseImage,
    help: 'image of tools that run in containers and are not of type cli',
  });
  flags.choice('unisolated-cli-tools', {
    values: ['admin', 'never'],
    help: 'cli tools with isolation_mode none run as processes of the worker: those an admin declared, or never',
    fallback: 'admin',
  });
  flags.bool('mcp-stdio', 'start the programs of McpServers with transport stdio, which an admin declares, as processes of this one', {
    value: undefined,
    shown: 'true with an embedded worker, else false',
  });
  flags.typed('cli-tool-max-argv-length', {
    value: 'bytes',
    parse: parseCount,
    help: 'longest command line of a cli tool',
    fallback: ARGV_MAX_BYTES_DEFAULT,
  });
  flags.bool(
    'enable-kubernetes-isolation',
    'accept tools with isolation_mode kubernetes and run each call as a Job; its account needs the Role of docs/isolation.md',
  );
  flags.text('kubernetes-api-url', { value: 'url', help: 'Kubernetes API; absent: that of the cluster this process runs in' });
  flags.text('kubernetes-namespace', { value: 'name', help: 'namespace that tool jobs run in; absent: that of this process, or default' });
  flags.text('kubernetes-token-file', { value: 'file', help: 'bearer token for the Kubernetes API; absent: the service account’s' });
  flags.text('kubernetes-ca-file', {
    value: 'file',
    help: 'CA certificates of the Kubernetes API; absent: the service account’s',
  });
  flags.typed('tool-job-ttl', {
    value: 'duration',
    parse: parseMs,
    help: 'how long a finished tool job stays before Kubernetes removes it',
    fallback: 300_000,
    shown: '5m',
  });
}

/** Flags of the files that a process keeps beside its store. */
export function auditFlags(flags: FlagTable): void {
  flags.text('audit-log', { value: 'file', help: 'where audit events go, one JSON line each: a file, or stdout; absent: nowhere' });
  flags.url('audit-webhook', { help: 'address that audit events are sent to, as JSON arrays, each event at least once' });
  flags.text('audit-webhook-secret', {
    value: 'secret',
    help: 'key of the signatures of what is sent to --audit-webhook; prefer the variable, flags show in process listings',
  });
  flags.typed('audit-spool', {
    value: 'directory',
    parse: parsePath,
    help: 'where audit events wait until --audit-webhook has them',
    shown: 'audit-spool in --data-dir',
  });
}

/** Flags of agent systems that other agents call. */
export function inboundA2aFlags(flags: FlagTable): void {
  flags.text('a2a-card-signing-key', {
    value: 'file',
    help: 'PEM file of a private key, P-256 or Ed25519, that signs agent cards; absent: cards are not signed',
  });
  flags.text('a2a-provider-organization', {
    value: 'name',
    help: 'organization that agent cards name as the provider of the systems, with --a2a-provider-url; absent: none',
  });
  flags.url('a2a-provider-url', { help: 'address of that organization' });
  flags.typed('a2a-rate-limit', {
    value: 'rate',
    parse: parseRate,
    help: 'inbound A2A requests of one caller, <per second>[,<burst>], such as 10,50; absent: any number',
  });
}
