// Failures below HTTP as CallErrors. Decided by error codes, never by message text.
import { CallError, type CallErrorOptions } from '../engine/ports.ts';
import { canOptIn } from './addresses.ts';
import { BlockedAddressError } from './guarded-connector.ts';
import { isMalformedHttp } from './malformed-http.ts';
import { OVERHEAD_CODE } from './overhead-limit.ts';

type Verdict = readonly [reason: string, text: string, retryable: boolean];

const VERDICTS: Readonly<Record<string, Verdict>> = {
  ECONNREFUSED: ['connection_refused', 'refused the connection', true],
  ECONNRESET: ['connection_reset', 'closed the connection before its answer was complete', true],
  EPIPE: ['connection_reset', 'closed the connection before its answer was complete', true],
  UND_ERR_SOCKET: ['connection_reset', 'closed the connection before its answer was complete', true],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['connection_reset', 'closed the connection before its answer was complete', true],
  ENOTFOUND: ['host_not_found', 'has a host name that does not resolve', true],
  EAI_AGAIN: ['host_not_found', 'has a host name that could not be resolved just now', true],
  EHOSTUNREACH: ['unreachable', 'cannot be reached', true],
  ENETUNREACH: ['unreachable', 'cannot be reached', true],
  ETIMEDOUT: ['connect_timeout', 'did not accept the connection in time', true],
  UND_ERR_CONNECT_TIMEOUT: ['connect_timeout', 'did not accept the connection in time', true],
  UND_ERR_HEADERS_OVERFLOW: ['headers_too_large', 'sent response headers that are too large', false],
  [OVERHEAD_CODE]: ['overhead', 'sent far more bytes around its answer than in it', false],
  UND_ERR_INVALID_ARG: ['invalid_request', 'cannot be called with this URL or these headers', false],
};

const MALFORMED_HTTP: Verdict = ['malformed_http', 'did not answer in valid HTTP', true];

/** Wraps whatever a request or its body rejected with. */
export function transportError(error: unknown, { url, permittedBy }: { url: URL; permittedBy: string }): CallError {
  return connectionError(error, { target: url.origin, permittedBy });
}

/** Error of a connection without HTTP; `target` names the remote side in the message. */
export function connectionError(error: unknown, { target, permittedBy }: { target: string; permittedBy: string }): CallError {
  if (error instanceof CallError) return error;
  const blocked = findBlocked(error);
  if (blocked) return blockedError(blocked, permittedBy);
  const code = errorCode(error);
  const [reason, text, retryable] = VERDICTS[code] ?? (isMalformedHttp(error) ? MALFORMED_HTTP : fallback(code));
  const options: CallErrorOptions = { retryable, reason, cause: error };
  return new CallError(
    code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT' ? 'timeout' : 'execution_failed',
    `${target} ${text}`,
    options,
  );
}

function blockedError({ hostname, address, addressClass }: BlockedAddressError, permittedBy: string): CallError {
  const target = hostname === address ? address : `${hostname} (${address})`;
  const remedy = canOptIn(addressClass) ? `only ${permittedBy} permits it` : `this is always blocked, whatever ${permittedBy} says`;
  return new CallError(
    'egress_blocked',
    `blocked connection to ${target}: ${address} is ${article(addressClass)} ${addressClass} address; ${remedy}`,
    {
      retryable: false,
      reason: addressClass.replaceAll(/[ -]/g, '_'),
    },
  );
}

function article(word: string): string {
  return /^[aeiou]/.test(word) ? 'an' : 'a';
}

const OLD_TLS = 'speaks no version of TLS from 1.2 on';
const UNKNOWN_AUTHORITY = 'has a certificate by an authority that is not trusted here; NODE_EXTRA_CA_CERTS names further ones';

/** Meanings of some of OpenSSL's codes. */
const TLS_PROBLEMS: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another host; call it by a name that its certificate has',
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: OLD_TLS,
  ERR_SSL_UNSUPPORTED_PROTOCOL: OLD_TLS,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: 'refused the TLS handshake; it may require a client certificate, which is not supported',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'requires a client certificate, which is not supported',
  ERR_SSL_WRONG_VERSION_NUMBER: 'does not speak TLS on this port',
};

/** Certificate failures carry OpenSSL's own words as codes. */
function fallback(code: string): Verdict {
  if (/^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_SSL)/.test(code)) {
    return ['tls_failed', `${TLS_PROBLEMS[code] ?? 'could not be trusted over TLS'} (${code})`, false];
  }
  return ['connection_failed', `could not be called${code === '' ? '' : ` (${code})`}`, true];
}

function findBlocked(error: unknown): BlockedAddressError | undefined {
  if (error instanceof BlockedAddressError) return error;
  return error instanceof Error && error.cause !== undefined ? findBlocked(error.cause) : undefined;
}

function errorCode(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return errorCode(error.errors[0]);
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return typeof code === 'string' ? code : '';
}
