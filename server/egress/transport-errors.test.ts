import { expect, test } from 'vitest';
import { connectionError } from './transport-errors.ts';

const failed = (code: string) =>
  connectionError(Object.assign(new Error('in the words of a library'), { code }), { target: 'shop.test:443', permittedBy: 'the switch' });

test.each([
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'has a certificate for another host'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'NODE_EXTRA_CA_CERTS'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS'],
  ['CERT_HAS_EXPIRED', 'has a certificate that has expired'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'does not speak TLS on this port'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'speaks no version of TLS from 1.2 on'],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'client certificate'],
  ['ERR_SSL_SOMETHING_ELSE', 'could not be trusted over TLS'],
])('%s says what is wrong and is final', (code, words) => {
  const error = failed(code);
  expect(error).toMatchObject({ code: 'execution_failed', reason: 'tls_failed', retryable: false });
  expect(error.message).toMatch(/^shop\.test:443 /);
  expect(error.message).toContain(words);
  expect(error.message).toContain(`(${code})`);
});
