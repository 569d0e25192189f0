// Names of images: what is asked of an engine, and which registry a name belongs to. Pure.
import { DEFAULT_REGISTRY } from '../registry-logins.ts';

const HOST = /^(?:localhost|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?::\d+)?|\[[0-9A-Fa-f:]+\](?::\d+)?)$/;
const COMPONENT = /^[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*$/;
const TAG = /^[\w][\w.-]{0,127}$/;
const DIGEST = /^[a-z0-9]+(?:[+._-][a-z0-9]+)*:[0-9a-fA-F]{32,}$/i;
const IMAGE_ID = /^(?:sha256:)?[0-9a-f]{64}$/;
const NAME_MAX_CHARS = 255;

export interface ImageName {
  /** With its tag or digest: an engine asked for a name without either fetches every tag there is. */
  readonly reference: string;
  /** Such as `docker.io` or `registry.example:5000`. */
  readonly registry: string;
  /** An image by its content's id is in the engine or nowhere. */
  readonly isId: boolean;
}

/** Undefined for what is no image name. */
export function parseImageName(image: string): ImageName | undefined {
  if (IMAGE_ID.test(image)) return { reference: image, registry: DEFAULT_REGISTRY, isId: true };
  const [named = '', digest, ...more] = image.split('@');
  if (more.length > 0 || (digest !== undefined && !DIGEST.test(digest))) return undefined;
  const colon = named.lastIndexOf(':');
  const tagged = colon > named.lastIndexOf('/');
  const [path, tag] = tagged ? [named.slice(0, colon), named.slice(colon + 1)] : [named, undefined];
  if ((tag !== undefined && !TAG.test(tag)) || path.length > NAME_MAX_CHARS) return undefined;
  const registry = registryOf(path);
  const components = (registry === undefined ? path : path.slice(registry.length + 1)).split('/');
  if (!components.every((component) => COMPONENT.test(component))) return undefined;
  const reference = digest === undefined && tag === undefined ? `${image}:latest` : image;
  return { reference, registry: registry === undefined || registry === 'index.docker.io' ? DEFAULT_REGISTRY : registry, isId: false };
}

function registryOf(path: string): string | undefined {
  const slash = path.indexOf('/');
  const first = slash === -1 ? '' : path.slice(0, slash);
  const isHost = first === 'localhost' || first.includes('.') || first.includes(':');
  return isHost && HOST.test(first) ? first : undefined;
}
