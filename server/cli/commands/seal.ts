// `svcctl seal`: makes SealedSecrets from values, files or Secret manifests. Values are encrypted here; the server receives none of them.
import { isObject, readJson } from '@svc/shared/json';
import { secret } from '@svc/shared/kinds/secret/index';
import { normalizeSecret } from '@svc/shared/kinds/secret/rules';
import type { WrittenSecretSpec } from '@svc/shared/kinds/secret/schema';
import { API_VERSION, nameProblem } from '@svc/shared/resource';
import { createSealer, sealingKeyIdOfPem, type SealedEntry, type Sealer, type SealingPublicKey } from '@svc/shared/sealing/sealing';
import { failWithProblems } from '../manifests/apply-manifests.ts';
import { identityOf, manifestProblems } from '../manifests/check-manifests.ts';
import { collect, type CommandSetup } from '../program/command-setup.ts';
import { CliError, usageError } from '../program/exit-codes.ts';
import { pairOf } from '../arguments/input-pairs.ts';
import { ApiError } from '../api/client.ts';
import type { Invocation } from '../program/invocation.ts';
import { namesOf, readManifests, type ManifestDocument } from '../manifests/manifest-files.ts';
import { yamlText } from '../output/data-text.ts';
import { readGiven } from '../program/terminal.ts';

interface SealOptions {
  readonly fromLiteral?: readonly string[] | undefined;
  readonly fromFile?: readonly string[] | undefined;
  readonly filename?: string[] | undefined;
  readonly key?: string | undefined;
  readonly showKey?: boolean | undefined;
}

/** A Secret with its values in the clear. */
interface PlainSecret {
  readonly namespace: string;
  readonly name: string;
  readonly labels: unknown;
  readonly annotations: unknown;
  readonly values: Readonly<Record<string, Uint8Array<ArrayBuffer>>>;
}

type Values = Readonly<Record<string, Uint8Array<ArrayBuffer>>>;

export const setupSeal: CommandSetup = (command, run) => {
  command
    .argument('[name]', 'name of the Secret to seal')
    .option('--from-literal <key=value>', 'an entry; shells keep such values in their history; may be repeated', collect)
    .option('--from-file <key=path>', 'an entry from a file, byte by byte, or from standard input for -; may be repeated', collect)
    .option('-f, --filename <path...>', 'Secret manifests: files, directories, or - for standard input')
    .option('--key <file>', 'the public key, as --show-key or svcd seal-key prints it, or as PEM; contacts no server')
    .option('--show-key', "print the server's public key")
    .addHelpText('after', '\nPrints SealedSecrets to commit and apply.\nA sealed value opens in its namespace, name and entry only.')
    .action((name, options) => run((invocation) => seal(invocation, name, options)));
};

async function seal(invocation: Invocation, name: string | undefined, options: SealOptions): Promise<void> {
  const format = invocation.format(['yaml', 'json']);
  if (options.showKey) return invocation.out(JSON.stringify(await publicKey(invocation, options.key), null, 2));
  const secrets = options.filename
    ? await secretsOfManifests(invocation, name, options)
    : [await secretOfOptions(invocation, name, options)];
  const sealer = await createSealer(await publicKey(invocation, options.key)).catch(asUsage);
  const sealed: unknown[] = [];
  for (const plain of secrets) sealed.push(await sealedSecret(sealer, plain));
  invocation.out(format === 'json' ? sealed.map((each) => JSON.stringify(each, null, 2)).join('\n') : sealed.map(yamlText).join('\n---\n'));
}

async function publicKey(invocation: Invocation, file: string | undefined): Promise<Pick<SealingPublicKey, 'keyId' | 'publicKeyPEM'>> {
  if (file === undefined) {
    const { client } = await invocation.connect();
    const request = { method: 'GET', path: '/v1/sealing-key/public' } as const;
    const { body } = await client.send<SealingPublicKey>(request).catch((error: unknown) => {
      // No later try helps a server without a sealing key.
      throw error instanceof ApiError && error.status === 503 ? new CliError(error.message, { cause: error }) : error;
    });
    return body;
  }
  const text = (await readGiven(invocation.terminal, file)).toString('utf8');
  if (text.trimStart().startsWith('-----')) return { keyId: await sealingKeyIdOfPem(text).catch(asUsage), publicKeyPEM: text };
  const parsed = readJson(text);
  const { keyId, publicKeyPEM } = isObject(parsed) ? parsed : {};
  if (typeof keyId === 'string' && typeof publicKeyPEM === 'string') return { keyId, publicKeyPEM };
  throw usageError(`${file} holds no sealing key`, (svcctl) => `write one with "${svcctl} seal --show-key > sealing-key.json"`);
}

function asUsage(error: unknown): never {
  throw usageError((error as Error).message);
}

async function secretOfOptions(invocation: Invocation, name: string | undefined, options: SealOptions): Promise<PlainSecret> {
  const values = await valuesOfOptions(invocation, options);
  if (name === undefined || Object.keys(values).length === 0)
    throw usageError('nothing to seal', (svcctl) => `"${svcctl} seal NAME --from-file value=-", or "${svcctl} seal -f secret.yaml"`);
  const problem = nameProblem(name);
  if (problem !== undefined) throw usageError(`the name ${problem}`);
  const { namespace } = await invocation.connect();
  return { namespace, name, labels: undefined, annotations: undefined, values };
}

async function valuesOfOptions(invocation: Invocation, { fromLiteral = [], fromFile = [] }: SealOptions): Promise<Values> {
  const literals = fromLiteral.map((text) => pairOf(text, '--from-literal', 'KEY=VALUE'));
  const files = fromFile.map((text) => pairOf(text, '--from-file', 'KEY=PATH'));
  const keys = [...literals, ...files].map(([key]) => key);
  const twice = keys.find((key, index) => keys.indexOf(key) < index);
  if (twice !== undefined) throw usageError(`entry "${twice}" is given twice`);
  if (files.filter(([, path]) => path === '-').length > 1) throw usageError('standard input is one value: only one --from-file may be -');
  const entries: [string, Uint8Array<ArrayBuffer>][] = literals.map(([key, value]) => [key, new TextEncoder().encode(value)]);
  for (const [key, path] of files) entries.push([key, new Uint8Array(await readGiven(invocation.terminal, path))]);
  const [empty] = entries.find(([, value]) => value.length === 0) ?? [];
  if (empty !== undefined) throw usageError(`the value of entry "${empty}" is empty: a Secret holds no empty values`);
  return Object.fromEntries(entries);
}

async function secretsOfManifests(invocation: Invocation, name: string | undefined, options: SealOptions): Promise<PlainSecret[]> {
  const paths = options.filename ?? [];
  if (name !== undefined || options.fromLiteral || options.fromFile)
    throw usageError('-f cannot be combined with a name, --from-literal or --from-file: it reads the whole Secret');
  const { documents, problems } = await readManifests(paths, invocation.terminal);
  const { namespace } = await invocation.connect();
  const all = [...problems, ...documents.filter(isNoSecret).map(otherKind), ...manifestProblems(documents, namespace)];
  if (all.length > 0) failWithProblems(invocation, all, 'not sealed');
  if (documents.length === 0) throw new CliError(`no documents in ${namesOf(paths)}`);
  return documents.map((document) => plainSecret(document, namespace));
}

const isNoSecret = ({ value }: ManifestDocument): boolean => identityOf(value, '').kind !== secret.kind;

function otherKind(document: ManifestDocument) {
  const { kind } = identityOf(document.value, '');
  return { file: document.file, path: 'kind', message: `only a Secret can be sealed, not ${kind || 'this'}`, ...document.locate('kind') };
}

/** `document` is a valid Secret. */
function plainSecret({ value }: ManifestDocument, fallback: string): PlainSecret {
  const { metadata, spec } = value as { metadata: { labels?: unknown; annotations?: unknown }; spec?: WrittenSecretSpec };
  const { namespace, name } = identityOf(value, fallback);
  const data = Object.entries(normalizeSecret(spec ?? {}).data).map(([key, text]): [string, Uint8Array<ArrayBuffer>] => [
    key,
    new Uint8Array(Buffer.from(text, 'base64')),
  ]);
  if (data.length === 0) throw usageError(`Secret ${namespace}/${name} has no entry to seal`);
  return { namespace, name, labels: metadata.labels, annotations: metadata.annotations, values: Object.fromEntries(data) };
}

async function sealedSecret(sealer: Sealer, { namespace, name, labels, annotations, values }: PlainSecret): Promise<unknown> {
  const encryptedData: Record<string, SealedEntry> = {};
  for (const [key, value] of Object.entries(values)) encryptedData[key] = await sealer.seal({ namespace, name, key }, value);
  const template = { ...(labels !== undefined && { labels }), ...(annotations !== undefined && { annotations }) };
  return {
    apiVersion: API_VERSION,
    kind: 'SealedSecret',
    metadata: { name, namespace },
    spec: { encryptedData, ...(Object.keys(template).length > 0 && { template }) },
  };
}
