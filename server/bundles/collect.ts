// Objects that an agent system needs, read as the caller: what it refers to, step by step, and the rules that name its tools or the system itself.
import { MCP_SERVER_OWNER } from '@svc/shared/generated-objects';
import { BUNDLE_OBJECTS_MAX, type BundleSecret } from '@svc/shared/bundle/bundle';
import { ServiceError } from '@svc/shared/errors';
import { kindByName } from '@svc/shared/kinds';
import type { Reference } from '@svc/shared/kinds/define';
import { specOf } from '@svc/shared/kinds/read';
import type { Resource, ResourceKey } from '@svc/shared/resource';
import { listAll } from '../registry/list-all.ts';
import type { Registry, RequestContext } from '../registry/registry.ts';

export interface CollectedObjects {
  /** In dependency order, then by name. */
  readonly objects: readonly Resource[];
  readonly secrets: readonly BundleSecret[];
  readonly missing: readonly string[];
}

const PAGE = 500;

const keyText = ({ kind, namespace, name }: ResourceKey): string => `${kind} ${namespace}/${name}`;

export async function collect(registry: Registry, context: RequestContext, system: ResourceKey): Promise<CollectedObjects> {
  const found = new Collection(registry, context, system.namespace);
  await found.follow(await registry.get(context, system));
  await found.addRules(system);
  return found.result();
}

class Collection {
  readonly #registry: Registry;
  readonly #context: RequestContext;
  readonly #home: string;
  readonly #objects = new Map<string, Resource>();
  readonly #secrets = new Map<string, { readonly key: ResourceKey; readonly usedBy: Set<string> }>();
  readonly #missing = new Set<string>();

  constructor(registry: Registry, context: RequestContext, home: string) {
    this.#registry = registry;
    this.#context = context;
    this.#home = home;
  }

  async follow(resource: Resource): Promise<void> {
    const { kind, metadata, spec } = resource;
    const key = { kind, namespace: metadata.namespace, name: metadata.name };
    if (this.#objects.has(keyText(key))) return;
    if (this.#objects.size >= BUNDLE_OBJECTS_MAX)
      throw new ServiceError('too_large', `The system needs more than ${BUNDLE_OBJECTS_MAX} objects; a bundle holds no more`);
    this.#objects.set(keyText(key), resource);
    const references = (kindByName(kind)?.references(spec, key) ?? []) as readonly Reference[];
    for (const reference of references) await this.#followReference(reference, resource);
  }

  async #followReference(reference: Reference, from: Resource): Promise<void> {
    const { kind, namespace, name } = reference;
    if (kind === 'Secret') return this.#noteSecret({ kind, namespace, name }, from);
    const text = keyText(reference);
    if (this.#objects.has(text) || this.#missing.has(text)) return;
    const target = await this.#read({ kind, namespace, name });
    if (!target) return void this.#missing.add(text);
    const server = target.metadata.annotations?.[MCP_SERVER_OWNER];
    if (kind !== 'Tool' || server === undefined) return this.follow(target);
    const mcpServer = { kind: 'McpServer', namespace, name: server };
    const owner = await this.#read(mcpServer);
    if (owner) await this.follow(owner);
    else this.#missing.add(keyText(mcpServer));
  }

  #noteSecret(key: ResourceKey, { kind, metadata }: Resource): void {
    const known = this.#secrets.get(keyText(key)) ?? { key, usedBy: new Set<string>() };
    known.usedBy.add(`${kind} ${metadata.name}`);
    this.#secrets.set(keyText(key), known);
  }

  async #read(key: ResourceKey): Promise<Resource | undefined> {
    try {
      return await this.#registry.get(this.#context, key);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found') return undefined;
      throw error;
    }
  }

  /** Permissions of the collected tools, and policies that name the system. */
  async addRules({ namespace, name }: ResourceKey): Promise<void> {
    const tools = new Set([...this.#objects.values()].filter(({ kind }) => kind === 'Tool').map(({ metadata }) => metadata.name));
    const rules = (kind: string) => listAll(this.#registry, this.#context, { kind, namespace, limit: PAGE });
    for await (const permission of rules('ToolPermission'))
      if (tools.has(specOf('ToolPermission', permission).tool_ref)) await this.follow(permission);
    for await (const policy of rules('AgentPolicy')) {
      const { apply_mode: mode, target_systems: systems } = specOf('AgentPolicy', policy);
      if (mode === 'scoped' && systems?.includes(name)) await this.follow(policy);
    }
  }

  async result(): Promise<CollectedObjects> {
    const order = (kind: string) => kindByName(kind)?.applyOrder ?? 0;
    const objects = [...this.#objects.values()].sort(
      (a, b) => order(a.kind) - order(b.kind) || compare(a.kind, b.kind) || compare(a.metadata.name, b.metadata.name),
    );
    const secrets: BundleSecret[] = [];
    for (const { key, usedBy } of this.#secrets.values()) {
      const stored = await this.#read(key);
      const data = stored ? specOf('Secret', stored).data : {};
      secrets.push({ ...this.#place(key), keys: Object.keys(data).sort(), usedBy: [...usedBy].sort() });
    }
    return {
      objects,
      secrets: secrets.sort((a, b) => compare(a.name, b.name)),
      missing: [...this.#missing].map((text) => this.#shown(text)).sort(),
    };
  }

  #place({ namespace, name }: ResourceKey): { readonly namespace?: string; readonly name: string } {
    return namespace === this.#home ? { name } : { namespace, name };
  }

  /** `Tool search`; with the namespace where it is another than the system's. */
  #shown(text: string): string {
    return text.replace(` ${this.#home}/`, ' ');
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
