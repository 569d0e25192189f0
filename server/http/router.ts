// Finds the route of a method and path. A tree of segments: the cost depends on the path, not on the number of routes.
import { ServiceError } from '@svc/shared/errors';
import type { Method, Route } from './route.ts';
import { PATH_TYPES } from './text-types.ts';

interface Node {
  readonly children: Map<string, Node>;
  /** The child for any segment, and the parameter's name. */
  parameter?: { readonly name: string; readonly node: Node };
  readonly routes: Map<string, Route>;
}

export interface Match {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** A path that is known but has no route for the method. */
export interface OtherMethods {
  readonly allow: readonly string[];
}

const newNode = (): Node => ({ children: new Map(), routes: new Map() });

function descend(node: Node, segment: string): Node {
  const name = /^\{(.+)\}$/.exec(segment)?.[1];
  if (name !== undefined) {
    if (PATH_TYPES[name] === undefined) throw new Error(`a path parameter without a type: ${name}`);
    node.parameter ??= { name, node: newNode() };
    if (node.parameter.name !== name) throw new Error(`two names for one path parameter: ${name} and ${node.parameter.name}`);
    return node.parameter.node;
  }
  const child = node.children.get(segment) ?? newNode();
  node.children.set(segment, child);
  return child;
}

function decodeSegment(segment: string): string {
  try {
    return segment.includes('%') ? decodeURIComponent(segment) : segment;
  } catch (cause) {
    throw new ServiceError('invalid', 'The path is not valid percent-encoded UTF-8', { cause });
  }
}

function allowed(routes: ReadonlyMap<string, Route>): string[] {
  const methods = [...routes.keys()];
  return [...(routes.has('GET') ? ['GET', 'HEAD'] : []), ...methods.filter((method) => method !== 'GET'), 'OPTIONS'];
}

/** Clients of A2A post to the address of a card with a slash behind it, as a2a-tck 1.0 does. */
const takesSlash = ({ routes }: Node): boolean => [...routes.values()].some(({ access }) => access === 'a2a');

export class Router {
  readonly #root = newNode();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const node = route.path.split('/').slice(1).reduce(descend, this.#root);
      if (route.access === 'a2a' && route.systemOf === undefined) throw new Error(`${route.path} has access a2a and names no system`);
      if (node.routes.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
      node.routes.set(route.method, route);
    }
  }

  /** A literal segment wins over a parameter. Undefined for an unknown path; throws `invalid` for a path that cannot be decoded. */
  find(method: Method | 'HEAD' | (string & {}), path: string): Match | OtherMethods | undefined {
    const params: Record<string, string> = {};
    let node = this.#root;
    const segments = path.split('/').slice(1);
    for (const [index, segment] of segments.entries()) {
      const child = node.children.get(segment);
      if (segment === '' && index === segments.length - 1 && takesSlash(node)) break;
      if (child === undefined && (node.parameter === undefined || segment === '')) return undefined;
      if (child === undefined && node.parameter !== undefined) params[node.parameter.name] = decodeSegment(segment);
      node = child ?? node.parameter?.node ?? node;
    }
    if (node.routes.size === 0) return undefined;
    const route = node.routes.get(method === 'HEAD' ? 'GET' : method);
    return route === undefined ? { allow: allowed(node.routes) } : { route, params };
  }
}
