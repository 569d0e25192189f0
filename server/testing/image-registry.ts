// A registry of container images on loopback, for pulls in tests: one small image, with or without a login, whole, broken or slow. Speaks just enough of the distribution API.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';

export interface ImageRegistry {
  /** `127.0.0.1:port`; engines speak plain HTTP to loopback. */
  readonly host: string;
  /** `user:password`; undefined lets everybody in. */
  login: string | undefined;
  /** Answer to requests of the image's layer. */
  layer: 'whole' | 'broken' | 'held';
  /** How often the layer was requested. */
  readonly layerRequests: () => number;
  readonly close: () => Promise<void>;
}

/** Every name under `host` with the tag `1` is the same image; `seed` makes its layer another than an engine may have already. */
export async function startImageRegistry(seed: string): Promise<ImageRegistry> {
  const blobs = await imageBlobs(seed);
  let layerRequests = 0;
  const held: ServerResponse[] = [];
  const manifestHeaders = {
    'content-type': MANIFEST,
    'content-length': blobs.manifest.length,
    'docker-content-digest': blobs.manifestDigest,
  };
  const server = createServer((request, response) => {
    const { url = '', headers } = request;
    const wanted = registry.login && `Basic ${Buffer.from(registry.login).toString('base64')}`;
    if (wanted && headers.authorization !== wanted) {
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end('{"errors":[{"code":"UNAUTHORIZED"}]}');
    }
    if (url === '/v2/') return void response.end('{}');
    const digest = /\/blobs\/(sha256:[0-9a-f]+)$/.exec(url)?.[1];
    if (digest === blobs.layerDigest) {
      layerRequests += 1;
      if (registry.layer === 'held') return void held.push(response);
      if (registry.layer === 'broken')
        return void response.writeHead(200, { 'content-length': blobs.layer.length }).end(Buffer.alloc(blobs.layer.length));
      return void response.end(blobs.layer);
    }
    if (digest === blobs.configDigest) return void response.end(blobs.config);
    if (/\/manifests\/(1|sha256:.*)$/.test(url)) {
      return void response.writeHead(200, manifestHeaders).end(blobs.manifest);
    }
    const unknown = { errors: [{ code: 'MANIFEST_UNKNOWN', message: 'manifest unknown', detail: {} }] };
    response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(unknown));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const registry: ImageRegistry = {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    login: undefined,
    layer: 'whole',
    layerRequests: () => layerRequests,
    close: () =>
      new Promise((resolve) => {
        for (const response of held) response.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return registry;
}

async function imageBlobs(seed: string) {
  const directory = mkdtempSync(join(tmpdir(), 'svc-layer-'));
  writeFileSync(join(directory, 'seed'), seed);
  await run('tar', ['-C', directory, '-cf', join(directory, 'layer.tar'), 'seed']);
  const layer = readFileSync(join(directory, 'layer.tar'));
  rmSync(directory, { recursive: true });
  const rootfs = { type: 'layers', diff_ids: [digestOf(layer)] };
  const config = Buffer.from(JSON.stringify({ architecture: 'amd64', os: 'linux', config: {}, rootfs, history: [] }));
  const part = (mediaType: string, bytes: Buffer) => ({ mediaType, size: bytes.length, digest: digestOf(bytes) });
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: part('application/vnd.docker.container.image.v1+json', config),
      layers: [part('application/vnd.docker.image.rootfs.diff.tar', layer)],
    }),
  );
  return { layer, layerDigest: digestOf(layer), config, configDigest: digestOf(config), manifest, manifestDigest: digestOf(manifest) };
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
