// Whether a Tool can run as it is declared: its type, settings, isolation, ceilings, endpoint and Secrets. Known before a call, so that no approval is requested for a call that cannot be made.
import { isolationOf } from '@svc/shared/kinds/tool/isolation-default';
import { knownBlocked } from '../egress/known-address.ts';
import { connectionError } from '../egress/transport-errors.ts';
import { CallError, type ToolCheck, type ToolRef } from '../engine/ports.ts';
import { A2A_PERMITTED_BY, requireAgent } from './a2a/a2a-tool.ts';
import { requireImage, requireNetwork } from './ceilings.ts';
import { cliModeOf, settingsOf } from './cli/cli-tool.ts';
import { cliSettings, type CliSettings } from './cli/cli-settings.ts';
import { grpcEndpoint } from './grpc/endpoint.ts';
import { requireImageChoice } from './isolation/contained-tool.ts';
import { networkOf } from './isolation/docker/container-options.ts';
import { ENGINE_MODES, isImageMode, type ImageMode } from './isolation/isolation.ts';
import type { BackendState } from './isolation/isolation-health.ts';
import { requireClusterNetwork } from './isolation/kubernetes/manifests.ts';
import { notConfigured } from './isolation/create-isolation.ts';
import { requireMcpTool } from './mcp/mcp-tool.ts';
import { requireMemoryTool } from './memory/memory-tool.ts';
import { queueEndpoint } from './queue/endpoint.ts';
import { resolveRuntime } from './resolve-runtime.ts';
import { PERMITTED_BY, toolTitle, type ToolPortConfig } from './runtime.ts';
import { authSettings, endpointOf } from './tool-settings.ts';
import { checkedSettings } from './wasm/wasm-tool.ts';

export interface ToolOffer {
  readonly config: ToolPortConfig;
  /** Which engines answer; undefined where that is not known. */
  readonly backends: readonly BackendState[] | undefined;
}

export interface ToolCheckOptions {
  readonly config: ToolPortConfig;
  /** Reads only through `reader`. */
  readonly backends: (reader: Parameters<ToolCheck>[1]) => ToolOffer['backends'] | Promise<ToolOffer['backends']>;
  /** Why a reference finds nothing, as a sentence; undefined where it finds a value. Reads only through `reader`. */
  readonly missingSecret: (ref: string, namespace: string, reader: Parameters<ToolCheck>[1]) => Promise<string | undefined>;
}

export function createToolCheck({ config, backends, missingSecret }: ToolCheckOptions): ToolCheck {
  return async (tool, reader) => {
    const problem = runnability(tool, { config, backends: await backends(reader) });
    if (problem) return problem;
    for (const { field, ref } of secretRefs(tool)) {
      const missing = await missingSecret(ref, tool.namespace, reader);
      if (missing === undefined) continue;
      return new CallError('secret_resolution_failed', `${toolTitle(tool)} ${field}: ${missing}`, {
        retryable: false,
        reason: 'missing_secret',
      });
    }
    return undefined;
  };
}

/** The error that every call of the tool would end in here; undefined for a tool that can run. Says nothing of its Secrets. Pure. */
export function runnability(tool: ToolRef, offer: ToolOffer): CallError | undefined {
  try {
    resolveRuntime(tool, CHECKS)(tool, offer);
    return undefined;
  } catch (error) {
    if (error instanceof CallError) return error;
    throw error;
  }
}

/** Throws CallError. */
type Check = (tool: ToolRef, offer: ToolOffer) => void;

const overHttp: Check = (tool, { config }) => {
  requirePublic(urlHost(tool, endpointOf(tool)), config);
  checkAuth(tool, config);
};

const CHECKS = {
  byType: new Map<string, Check>([
    ['http', overHttp],
    ['external', overHttp],
    ['webhook-callback', overHttp],
    [
      'grpc',
      (tool, { config }) => {
        requirePublic(grpcEndpoint(tool).host, config);
        checkAuth(tool, config);
      },
    ],
    [
      'queue',
      (tool, { config }) => {
        requirePublic(queueEndpoint(tool).host, config);
        checkAuth(tool, config);
      },
    ],
    [
      'wasm',
      (tool, { config }) => {
        const { source } = checkedSettings(tool, config);
        if (source.kind === 'https') requirePublic(urlHost(tool, source.url), config);
        checkAuth(tool, config);
      },
    ],
    ['mcp', (tool) => void requireMcpTool(tool)],
    ['memory', (tool) => void requireMemoryTool(tool)],
    [
      'a2a',
      (tool, { config }) => {
        requireReachable(urlHost(tool, requireAgent(tool).url), { allowPrivate: config.allowPrivateAgents, permittedBy: A2A_PERMITTED_BY });
        checkAuth(tool, config);
      },
    ],
    [
      'cli',
      (tool, offer) => {
        const settings = settingsOf(tool);
        const mode = cliModeOf(tool, offer.config);
        if (mode !== 'none') checkImageRun(tool, { settings, mode, defaultImage: undefined }, offer);
      },
    ],
  ]),
  contained: (tool: ToolRef, offer: ToolOffer) => {
    const mode = tool.spec.runtime.isolation_mode;
    if (!isImageMode(mode)) throw new Error(`a tool with isolation mode ${mode} cannot run in a container`);
    checkAuth(tool, offer.config);
    checkImageRun(tool, { settings: cliSettings(tool), mode, defaultImage: offer.config.containerImage }, offer);
  },
};

interface ImageRun {
  readonly settings: CliSettings;
  readonly mode: ImageMode;
  /** Where `spec.cli` names none. */
  readonly defaultImage: string | undefined;
}

function checkImageRun(tool: ToolRef, { settings, mode, defaultImage }: ImageRun, { config, backends }: ToolOffer): void {
  const what = toolTitle(tool);
  const { network } = settings;
  requireImage(requireImageChoice(tool, { mode, image: settings.image ?? defaultImage }), what, config.ceilings);
  if (mode === 'kubernetes') requireClusterNetwork({ network, what });
  else requireNetwork(networkOf({ mode, what, ...(network !== undefined && { network }) }, config.containerNetwork), what, config.ceilings);
  const configured = mode === 'kubernetes' ? config.kubernetes !== undefined : config.isolationBackend !== 'none';
  if (!configured) throw notConfigured(mode, what);
  const state = backends?.find(({ backend }) => (ENGINE_MODES[backend] as readonly string[]).includes(mode));
  if (state?.available !== false) return;
  const message = `${what} needs isolation mode ${mode}: ${state.message ?? 'no engine answers'}`;
  throw new CallError('isolation_unavailable', message, { retryable: true, reason: 'engine_unreachable' });
}

function checkAuth(tool: ToolRef, config: ToolPortConfig): void {
  const auth = authSettings(tool);
  if (auth.profile === 'oauth2_client_credentials') requirePublic(urlHost(tool, auth.tokenUrl), config);
}

function urlHost(tool: ToolRef, url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : '';
}

function requirePublic(host: string, { allowPrivateEndpoints: allowPrivate }: ToolPortConfig): void {
  requireReachable(host, { allowPrivate, permittedBy: PERMITTED_BY });
}

function requireReachable(host: string, { allowPrivate, permittedBy }: { allowPrivate: boolean; permittedBy: string }): void {
  const blocked = knownBlocked(host, allowPrivate);
  if (blocked) throw connectionError(blocked, { target: host, permittedBy });
}

interface SecretUse {
  readonly field: string;
  readonly ref: string;
}

function secretRefs({ spec }: ToolRef): SecretUse[] {
  const { type, auth, cli } = spec;
  const inImage = isImageMode(isolationOf(spec));
  const uses: (readonly [string, string | undefined])[] = [];
  if (type !== 'cli') uses.push(['spec.auth.secretRef', auth?.secretRef]);
  if (cli && (type === 'cli' || inImage)) {
    uses.push(...(cli.env_from ?? []).map(({ secretRef }, index) => [`spec.cli.env_from[${index}]`, secretRef] as const));
    if (inImage && cli.image !== undefined) uses.push(['spec.cli.image_pull_secret', cli.image_pull_secret]);
  }
  return uses.flatMap(([field, ref]) => (ref ? [{ field, ref }] : []));
}
