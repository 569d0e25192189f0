// Ceiling of an operator on container images: which references a server or worker runs, whatever a Tool names. Pure.
import { DEFAULT_REGISTRY, parseImageReference, type ImageReference } from './image-reference.ts';

/** Every image of the default registry and of registries with a proper domain name; never an address or a single label. */
export const ANY_NAMED_IMAGE = '*';
const BELOW = '/*';
/** Stands for everything below a prefix while the prefix is parsed; two parts, so that no default folder is added. */
const PROBE = 'x/x';

export interface ImagePolicy {
  /** `*`, `registry.example/*`, `registry.example/team/*`, or one repository with or without a tag and a digest. */
  readonly patterns: readonly string[];
  readonly digestsRequired: boolean;
}

export interface ImageRefusal {
  readonly reason: 'image_invalid' | 'image_not_allowed' | 'image_without_digest';
  /** Follows the tool's name in a sentence. */
  readonly problem: string;
}

interface Pattern {
  readonly registry: string;
  matches(image: ImageReference): boolean;
}

function readPattern(text: string): Pattern | undefined {
  if (text === ANY_NAMED_IMAGE) return { registry: '', matches: ({ registry }) => isNamedRegistry(registry) };
  const isPrefix = text.endsWith(BELOW);
  const parsed = parseImageReference(isPrefix ? `${text.slice(0, -1)}${PROBE}` : text);
  if (!parsed) return undefined;
  const { registry, repository, tag, digest, isId, reference } = parsed;
  if (isPrefix) {
    const prefix = repository.slice(0, -PROBE.length);
    return { registry, matches: (image) => !image.isId && image.registry === registry && image.repository.startsWith(prefix) };
  }
  if (isId) return { registry: '', matches: (image) => image.isId && idOf(image) === idOf(parsed) };
  // A reference without a tag gets `:latest`; as a pattern it means all of them.
  const wantedTag = reference === text ? tag : undefined;
  return {
    registry,
    matches: (image) =>
      !image.isId &&
      image.registry === registry &&
      image.repository === repository &&
      (wantedTag === undefined || image.tag === wantedTag) &&
      (digest === undefined || image.digest === digest),
  };
}

const idOf = ({ reference }: ImageReference) => reference.replace(/^sha256:/, '');

/** Why the text is not a pattern, as a sentence that follows a field's name; undefined when it is one. */
export function imagePatternProblem(text: string): string | undefined {
  return readPattern(text) ? undefined : 'must be "*", a registry or path followed by "/*", or an image reference';
}

/** Refusal of an image above the ceiling, in any spelling; undefined for one that may run. */
export function imageRefusal(image: string, { patterns, digestsRequired }: ImagePolicy): ImageRefusal | undefined {
  const parsed = parseImageReference(image);
  if (!parsed) return { reason: 'image_invalid', problem: `names no image: "${image.slice(0, 80)}"` };
  if (!patterns.some((pattern) => readPattern(pattern)?.matches(parsed))) {
    const why = isNamedRegistry(parsed.registry) ? '' : ', as a registry by address, on loopback or of a single label has to be';
    const problem = `runs the image "${shown(image)}", and --allowed-images does not list it${why}`;
    return { reason: 'image_not_allowed', problem };
  }
  if (!digestsRequired || parsed.isId || parsed.digest !== undefined) return undefined;
  const problem = `runs the image "${shown(image)}" without a digest, and --require-image-digests is set; append @sha256:<hex> of its manifest`;
  return { reason: 'image_without_digest', problem };
}

const shown = (image: string) => image.slice(0, 200);

/** Whether the operator trusts the registry by name: the default one, or one that a pattern names. */
export function isListedRegistry(registry: string, { patterns }: Pick<ImagePolicy, 'patterns'>): boolean {
  return registry === DEFAULT_REGISTRY || patterns.some((pattern) => readPattern(pattern)?.registry === registry);
}

/** Host and port of a reference; false for addresses in any spelling, names of this machine and single labels. */
function isNamedRegistry(registry: string): boolean {
  if (registry.startsWith('[')) return false;
  const host = registry.replace(/:\d+$/, '');
  const url = `http://${host}/`;
  // The parser of URLs reads 127.1, 0x7f.1 and 2130706433 as the addresses they are, and refuses names that end in a number.
  if (!URL.canParse(url) || /^[\d.]+$/.test(new URL(url).hostname)) return false;
  return host.includes('.') && !/(?:^|\.)localhost$/.test(host);
}
