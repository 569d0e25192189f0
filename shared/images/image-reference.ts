// Parser of container image references, for kinds, flags and engines. Pure.
// Source: https://github.com/distribution/reference/blob/main/reference.go, with the OCI digest algorithms.

/** Registry of a reference without one. */
export const DEFAULT_REGISTRY = 'docker.io';
/** Another name of the default registry. */
const DEFAULT_ALIAS = 'index.docker.io';
/** Folder of the default registry for repositories of one component. */
const OFFICIAL = 'library';

const HOST_LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const HOST = new RegExp(`^(?:${HOST_LABEL}(?:\\.${HOST_LABEL})*|\\[[0-9A-Fa-f:.]{2,45}\\])(?::(\\d{1,5}))?$`);
const COMPONENT = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^(?:sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128})$/;
const IMAGE_ID = /^(?:sha256:)?[0-9a-f]{64}$/;
const PORT_MAX = 65_535;
/** Registry and repository together, as registries limit them. */
const NAME_MAX_CHARS = 255;
/** Longest reference: name, tag and digest with their separators. */
const REFERENCE_MAX_CHARS = NAME_MAX_CHARS + 1 + 128 + 1 + 'sha512:'.length + 128;

export interface ImageReference {
  /** For the engine, always with a tag or a digest: for a name without either, an engine fetches every tag. */
  readonly reference: string;
  /** Lower case, such as `docker.io` or `registry.example:5000`. */
  readonly registry: string;
  /** Path within the registry, such as `library/busybox`; empty for an image id. */
  readonly repository: string;
  /** Absent with a digest alone and for an image id. */
  readonly tag?: string;
  readonly digest?: string;
  /** An image named by its content's id exists in the engine or nowhere. */
  readonly isId: boolean;
}

type Parsed = { readonly image: ImageReference } | { readonly problem: string };

const EXAMPLE = 'must be an image reference such as registry.example/team/tool:1.2';

function parse(text: string): Parsed {
  if (text.length > REFERENCE_MAX_CHARS) return { problem: `${EXAMPLE} of at most ${REFERENCE_MAX_CHARS} characters` };
  if (IMAGE_ID.test(text)) return { image: { reference: text, registry: DEFAULT_REGISTRY, repository: '', isId: true } };
  const at = text.indexOf('@');
  const digest = at < 0 ? undefined : text.slice(at + 1);
  if (digest !== undefined && !DIGEST.test(digest)) {
    return { problem: `${EXAMPLE}, and what follows "@" must be a digest such as sha256: with 64 lower-case hex digits` };
  }
  const named = at < 0 ? text : text.slice(0, at);
  const colon = named.lastIndexOf(':');
  const isTagged = colon > named.lastIndexOf('/');
  const tag = isTagged ? named.slice(colon + 1) : undefined;
  if (tag !== undefined && !TAG.test(tag)) {
    return { problem: `${EXAMPLE}, and its tag must be 1 to 128 letters, digits, ".", "_" or "-", not beginning with "." or "-"` };
  }
  const place = placeOf(isTagged ? named.slice(0, colon) : named);
  if ('problem' in place) return place;
  const reference = digest === undefined && tag === undefined ? `${text}:latest` : text;
  const defaultTag = digest === undefined ? 'latest' : undefined;
  const imageTag = tag ?? defaultTag;
  return {
    image: { reference, ...place, ...(imageTag !== undefined && { tag: imageTag }), ...(digest !== undefined && { digest }), isId: false },
  };
}

function placeOf(name: string): Pick<ImageReference, 'registry' | 'repository'> | { readonly problem: string } {
  if (name.length > NAME_MAX_CHARS) return { problem: `${EXAMPLE}, with a name of at most ${NAME_MAX_CHARS} characters` };
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const hasHost = first === 'localhost' || /[.:A-Z]/.test(first);
  if (hasHost && !isHost(first)) return { problem: `${EXAMPLE}, and its registry must be a host name or address, with or without a port` };
  const path = hasHost ? name.slice(slash + 1) : name;
  if (!path.split('/').every((component) => COMPONENT.test(component))) {
    return {
      problem: `${EXAMPLE}: the parts of its path are lower-case letters and digits, with single ".", "_", "__" or dashes between them`,
    };
  }
  const registry = hasHost ? first.toLowerCase() : DEFAULT_REGISTRY;
  if (registry !== DEFAULT_REGISTRY && registry !== DEFAULT_ALIAS) return { registry, repository: path };
  return { registry: DEFAULT_REGISTRY, repository: path.includes('/') ? path : `${OFFICIAL}/${path}` };
}

function isHost(text: string): boolean {
  const match = HOST.exec(text);
  return match !== null && Number(match[1] ?? 0) <= PORT_MAX;
}

/** The parts of an image reference or image id; undefined for any other text. */
export function parseImageReference(text: string): ImageReference | undefined {
  const parsed = parse(text);
  return 'image' in parsed ? parsed.image : undefined;
}

/** Why the text is not an image reference, as a sentence that follows a field's name; undefined when it is one. */
export function imageReferenceProblem(text: string): string | undefined {
  const parsed = parse(text);
  return 'problem' in parsed ? parsed.problem : undefined;
}
