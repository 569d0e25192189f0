// The name of a copy. Pure.
import { NAME_MAX } from '@svc/shared/resource';

const SUFFIX = '-copy';

/** Within the length of a name. */
export const copyName = (name: string): string => name.slice(0, NAME_MAX - SUFFIX.length) + SUFFIX;
