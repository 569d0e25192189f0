// People on a real svcd: what a sign-in costs beside its password hash alone, and what a burst of them leaves to other requests.
import { createPasswordHasher } from '../server/auth/users/password-hasher.ts';
import { startServerProcess, type ServerProcess } from '../server/testing/server-process.ts';
import { residentMb } from './process-usage.ts';
import { perSecond } from './rest-load.ts';
import { compared, percentile, type Row } from './row.ts';

const NAME = 'ann';
const PASSWORD = 'correct horse battery';
const WARM_UP = 10;
const SIGN_INS = 100;
/** As many as the server hashes at once. */
const AT_ONCE = 2;
/** Above what may wait, so that some are refused. */
const BURST = 200;
const BURST_ROUNDS = 5;

let clients = 0;

/** A sign-in from an address of its own: rates are per address. */
async function signIn({ url }: ServerProcess, password = PASSWORD): Promise<Response> {
  clients += 1;
  const address = `10.${(clients >> 16) & 255}.${(clients >> 8) & 255}.${clients & 255}`;
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': address };
  const response = await fetch(`${url}/v1/auth/login`, { method: 'POST', headers, body: JSON.stringify({ username: NAME, password }) });
  await response.arrayBuffer();
  return response;
}

async function signInWell(server: ServerProcess): Promise<void> {
  const { status } = await signIn(server);
  if (status !== 200) throw new Error(`a sign-in was answered with ${status}`);
}

/** Milliseconds of each of `SIGN_INS` runs of `work`, one after the other. */
async function timesOf(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < WARM_UP + SIGN_INS; n += 1) {
    const began = performance.now();
    await work();
    if (n >= WARM_UP) times.push(performance.now() - began);
  }
  return times;
}

/** Runs of `work` per second, `AT_ONCE` at a time. */
async function rateOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let n = 0; n < SIGN_INS; n += 1) await work();
    }),
  );
  return (AT_ONCE * SIGN_INS * 1000) / (performance.now() - began);
}

async function signInRows(server: ServerProcess): Promise<Row[]> {
  const hasher = createPasswordHasher();
  const hash = await hasher.hash(PASSWORD);
  const verify = () => hasher.verify(hash, PASSWORD);
  const alone = await timesOf(verify);
  const signIns = await timesOf(() => signInWell(server));
  const referenceName = 'argon2id alone';
  return [
    ...[50, 99].map((p) =>
      compared({
        name: `sign-in, p${p}`,
        value: percentile(signIns, p),
        unit: 'ms',
        reference: percentile(alone, p),
        referenceName,
        note: 'one after the other',
      }),
    ),
    compared({
      name: `sign-ins, ${AT_ONCE} at once`,
      value: await rateOf(() => signInWell(server)),
      unit: '1/s',
      reference: await rateOf(verify),
      referenceName,
    }),
  ];
}

/** Milliseconds of requests by a sign-in, one after the other until `work` has ended. */
async function besides(server: ServerProcess, cookie: string, work: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  const state = { ended: false };
  const ends = work.finally(() => (state.ended = true));
  while (!state.ended) {
    const began = performance.now();
    const response = await fetch(`${server.url}/v1/auth/me`, { headers: { cookie } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`a request beside sign-ins was answered with ${response.status}`);
    times.push(performance.now() - began);
  }
  await ends;
  return times;
}

async function burstRows(server: ServerProcess): Promise<Row[]> {
  const cookie = (await signIn(server)).headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const quiet = await besides(server, cookie, new Promise((resolve) => setTimeout(resolve, 2_000)));
  const memory = residentMb(server.pid);
  let refused = 0;
  const burst = async () => {
    for (let round = 0; round < BURST_ROUNDS; round += 1) {
      const answers = await Promise.all(Array.from({ length: BURST }, () => signIn(server, 'wrong horse battery')));
      refused += answers.filter(({ status }) => status === 503).length;
      const other = answers.find(({ status }) => status !== 401 && status !== 503);
      if (other) throw new Error(`a sign-in with a wrong password was answered with ${other.status}`);
    }
  };
  const loaded = await besides(server, cookie, burst());
  const note = `${BURST_ROUNDS} bursts of ${BURST} wrong passwords; ${refused} refused with 503`;
  return [
    ...[50, 99].map((p) =>
      compared({
        name: `request beside a burst of sign-ins, p${p}`,
        value: percentile(loaded, p),
        unit: 'ms',
        reference: percentile(quiet, p),
        referenceName: 'without sign-ins',
        note,
      }),
    ),
    { name: 'memory after bursts of sign-ins', value: residentMb(server.pid) - memory, unit: 'MB', note: 'more than before' },
  ];
}

async function identityRows({ url }: ServerProcess, cookie: string, token: string): Promise<Row[]> {
  const get = (headers: Record<string, string>) => perSecond({ url: `${url}/v1/auth/me`, headers }, 200);
  const reference = await get({});
  const row = (name: string, value: number) =>
    compared({ name, value, unit: 'req/s', reference, referenceName: 'without an identity', note: 'GET /v1/auth/me' });
  return [
    row('request with a sign-in', await get({ cookie })),
    row('request with a token', await get({ authorization: `Bearer ${token}` })),
  ];
}

export async function benchAuth(): Promise<Row[]> {
  const args = ['--embedded-worker=false', '--log-level', 'error', '--auth-mode', 'native', '--trusted-proxies', '127.0.0.1'];
  const server = await startServerProcess({ args });
  const headers = { 'content-type': 'application/json' };
  try {
    const body = JSON.stringify({ username: NAME, password: PASSWORD });
    const setup = await fetch(`${server.url}/v1/auth/setup`, { method: 'POST', headers, body });
    const cookie = setup.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    const made = await fetch(`${server.url}/v1/tokens`, {
      method: 'POST',
      headers: { ...headers, cookie, origin: server.url },
      body: JSON.stringify({ name: 'bench', role: 'reader' }),
    });
    if (made.status !== 201) throw new Error(await made.text());
    const { token } = (await made.json()) as { token: string };
    return [...(await signInRows(server)), ...(await burstRows(server)), ...(await identityRows(server, cookie, token))];
  } finally {
    await server.dispose();
  }
}
