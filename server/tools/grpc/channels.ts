// Channels to tools' servers: few, checked when they are dialled, closed when idle. The only file that imports @grpc/grpc-js.
import { X509Certificate } from 'node:crypto';
import { checkServerIdentity, connect, createSecureContext, type SecureContext } from 'node:tls';
import { isIP } from 'node:net';
import type * as Grpc from '@grpc/grpc-js';
import type { CallOptions, Client, ClientDuplexStream, ClientUnaryCall, Metadata, ServiceError } from '@grpc/grpc-js';
import { classifyAddress } from '../../egress/addresses.ts';
import { checkedAddress, type CheckedAddress } from '../../egress/checked-address.ts';
import { orAborted } from '../../egress/deadline.ts';
import { connectionError } from '../../egress/transport-errors.ts';
import { CallError } from '../../engine/ports.ts';
import { OUTPUT_MAX_BYTES } from '../runtime.ts';
import { createSharedPool } from '../shared-pool.ts';
import type { GrpcEndpoint } from './endpoint.ts';
import { RESOURCE_EXHAUSTED, type GrpcStatus } from './status-errors.ts';

const MESSAGE_MAX_BYTES = 4 * OUTPUT_MAX_BYTES;

interface ChannelRequest {
  readonly endpoint: GrpcEndpoint;
  /** PEM certificates to trust in place of the system's. */
  readonly ca?: string;
  readonly signal: AbortSignal;
}

export interface Call {
  /** `package.Service/Method` */
  readonly method: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/** A call that ended in a status other than OK. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: GrpcStatus;
  /** The answer was larger than a message may be. */
  readonly tooLarge: boolean;
  constructor(status: GrpcStatus, tooLarge: boolean) {
    super('the call did not end in status OK');
    this.status = status;
    this.tooLarge = tooLarge;
  }
}

export interface Channel {
  /** One request, one answer. Rejects with StatusError, or with the signal's reason. */
  unary(call: Call, request: Uint8Array): Promise<Uint8Array>;
  /** Messages to one stream, each from `next`; ends when it returns undefined. Rejects like `unary`. */
  converse(call: Call, next: (answer: Uint8Array | undefined) => Uint8Array | undefined): Promise<void>;
}

export interface Channels {
  /** Runs `use` with an open channel. Rejects with CallError when none may or can be opened. */
  with<T>(request: ChannelRequest, use: (channel: Channel) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface ChannelDeps {
  readonly allowPrivate: boolean;
  readonly permittedBy: string;
}

interface Open {
  readonly client: Client;
  readonly grpc: typeof Grpc;
}

export function createChannels(deps: ChannelDeps): Channels {
  const pool = createSharedPool<Open>(({ client }) => Promise.resolve(client.close()));
  return {
    with: (request, run) => {
      const key = JSON.stringify([request.endpoint.host, request.endpoint.port, request.endpoint.tls, request.ca ?? '']);
      return pool.with(
        key,
        () => openChannel(deps, request),
        async (open, drop) => {
          try {
            return await run(channelOf(open));
          } catch (error) {
            // The next call resolves an address that no longer answers again.
            if (error instanceof StatusError && Number(open.client.getChannel().getConnectivityState(false)) !== READY) drop();
            throw error;
          }
        },
      );
    },
    close: () => pool.close(),
  };
}

/** `connectivityState.READY` */
const READY = 2;

async function openChannel({ allowPrivate, permittedBy }: ChannelDeps, { endpoint, ca, signal }: ChannelRequest): Promise<Open> {
  const { host, port, tls } = endpoint;
  const checked = await checkedAddress({ host, port, allowPrivate, permittedBy, signal });
  if (!tls) requirePrivate(endpoint, checked);
  const context = tls ? secureContext(endpoint, ca) : undefined;
  // A failed handshake reaches a gRPC client as text only, so it is made once by hand first.
  if (context)
    await orAborted(handshake({ endpoint, checked, context }, signal), signal).catch(rethrown({ endpoint, permittedBy, signal }));
  const grpc = await import('@grpc/grpc-js');
  const credentials = context ? grpc.credentials.createFromSecureContext(context) : grpc.credentials.createInsecure();
  const target = checked.family === 6 ? `ipv6:[${checked.address}]:${port}` : `ipv4:${checked.address}:${port}`;
  const client = new grpc.Client(target, credentials, {
    ...(tls && { 'grpc.ssl_target_name_override': host }),
    'grpc.default_authority': host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
    'grpc.enable_http_proxy': 0,
    'grpc.enable_retries': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.max_receive_message_length': MESSAGE_MAX_BYTES,
    'grpc.max_send_message_length': -1,
  });
  return { client, grpc };
}

/** Credentials and inputs do not cross a network in the clear. */
function requirePrivate({ host }: GrpcEndpoint, { address }: CheckedAddress): void {
  if (classifyAddress(address) !== 'public') return;
  const message = `blocked connection to ${host} (${address}): grpc:// is without TLS, which is for private addresses only; use grpcs:// or host:port`;
  throw new CallError('egress_blocked', message, { retryable: false, reason: 'plaintext_refused' });
}

function secureContext({ host }: GrpcEndpoint, ca: string | undefined): SecureContext {
  try {
    // Node passes over certificates that it cannot read.
    if (ca !== undefined) new X509Certificate(ca);
    return createSecureContext({ minVersion: 'TLSv1.2', ...(ca !== undefined && { ca }) });
  } catch {
    throw new CallError('runtime_policy_invalid', `the certificates to trust for ${host} (key ca.crt of the Secret) are not PEM`, {
      retryable: false,
      reason: 'invalid_ca',
    });
  }
}

interface Handshake {
  readonly endpoint: GrpcEndpoint;
  readonly checked: CheckedAddress;
  readonly context: SecureContext;
}

function handshake({ endpoint: { host, port }, checked, context }: Handshake, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: checked.address,
      port,
      secureContext: context,
      ALPNProtocols: ['h2'],
      ...(isIP(host) === 0 && { servername: host }),
      checkServerIdentity: (_, certificate) => checkServerIdentity(host, certificate),
    });
    const end = () => socket.destroy();
    signal.addEventListener('abort', end, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', end));
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
  });
}

function rethrown({ endpoint: { host, port }, permittedBy, signal }: { endpoint: GrpcEndpoint; permittedBy: string; signal: AbortSignal }) {
  return (error: unknown): never => {
    throw signal.aborted ? signal.reason : connectionError(error, { target: `${host}:${port}`, permittedBy });
  };
}

// ---------------------------------------------------------------- calls

const asBytes = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
const asGiven = (bytes: Buffer): Uint8Array => bytes;

/** Errors of a call by its status. A server that refuses a call sends no headers before its status; one that answered too much has sent them. */
function failuresOf(call: ClientUnaryCall | ClientDuplexStream<Uint8Array, Uint8Array>): (error: ServiceError) => StatusError {
  let headers = false;
  call.on('metadata', () => (headers = true));
  return (error) => new StatusError(error, headers && Number(error.code) === RESOURCE_EXHAUSTED);
}

function channelOf({ client, grpc }: Open): Channel {
  const metadataOf = (values: Call['metadata']): Metadata => {
    const metadata = new grpc.Metadata();
    for (const [name, value] of Object.entries(values)) metadata.set(name.toLowerCase(), value);
    return metadata;
  };
  const optionsOf = ({ deadline }: Call): CallOptions => ({ deadline: new Date(deadline) });
  return {
    unary: (call, request) =>
      new Promise((resolve, reject) => {
        const done = (error: ServiceError | null, answer?: Uint8Array) => {
          call.signal.removeEventListener('abort', cancel);
          if (call.signal.aborted) reject(call.signal.reason as Error);
          else if (error) reject(failed(error));
          else resolve(answer ?? new Uint8Array());
        };
        const under = client.makeUnaryRequest(
          `/${call.method}`,
          asBytes,
          asGiven,
          request,
          metadataOf(call.metadata),
          optionsOf(call),
          done,
        );
        const failed = failuresOf(under);
        const cancel = () => under.cancel();
        call.signal.addEventListener('abort', cancel, { once: true });
        if (call.signal.aborted) cancel();
      }),
    converse: (call, next) =>
      new Promise((resolve, reject) => {
        const under = client.makeBidiStreamRequest(`/${call.method}`, asBytes, asGiven, metadataOf(call.metadata), optionsOf(call));
        const cancel = () => under.cancel();
        const statusOf = failuresOf(under);
        let failed: Error | undefined;
        const onReady = (answer?: Uint8Array) => {
          try {
            const request = next(answer);
            if (request) under.write(request);
            else under.end();
          } catch (error) {
            failed = error as Error;
            cancel();
          }
        };
        const settle = (act: () => void) => {
          call.signal.removeEventListener('abort', cancel);
          act();
        };
        under.on('data', onReady);
        under.on('error', (error: ServiceError) =>
          settle(() => reject(call.signal.aborted ? (call.signal.reason as Error) : (failed ?? statusOf(error)))),
        );
        under.on('end', () => settle(resolve));
        call.signal.addEventListener('abort', cancel, { once: true });
        if (call.signal.aborted) cancel();
        else onReady();
      }),
  };
}
