// Everything that people declared, as one YAML file that apply takes: without runs and conversations, and without values of Secrets.
import { setImmediate } from 'node:timers/promises';
import { APPLY_DOCUMENTS_MAX } from '@svc/shared/api/batch';
import { OWNER_ANNOTATIONS } from '@svc/shared/generated-objects';
import { ServiceError } from '@svc/shared/errors';
import { kinds } from '@svc/shared/kinds';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { specOf } from '@svc/shared/kinds/read';
import { API_VERSION, type Resource } from '@svc/shared/resource';
import { stringify } from 'yaml';
import { timestamp, type Clock } from '../clock.ts';
import { listAll } from '../registry/list-all.ts';
import type { ListRequest, Registry, RequestContext } from '../registry/registry.ts';

export interface ExportService {
  /** YAML of a namespace, or of all. Rejects with `too_large` past the limits. */
  write(context: RequestContext, namespace: string | undefined): Promise<string>;
}

export interface ExportDeps {
  readonly registry: Pick<Registry, 'list'>;
  readonly clock: Clock;
  /** Version of this service. */
  readonly version: string;
}

const EXPORT_OBJECTS_MAX = 20_000;
const EXPORT_MAX_CHARS = 32 * 1024 * 1024;
const PAGE = 500;
export function createExportService({ registry, clock, version }: ExportDeps): ExportService {
  return {
    async write(context, namespace) {
      const found = new ExportText();
      for (const definition of IN_ORDER)
        for await (const object of listAll(registry, context, listOf(definition, namespace))) {
          if (!isDeclared(definition, object)) continue;
          found.add(object, definition);
          // Writing the YAML of an agent takes more than a millisecond: other requests get in between.
          await setImmediate();
        }
      return found.text({ namespace, version, at: timestamp(clock.now()) });
    },
  };
}

const IN_ORDER: readonly KindDefinition[] = kinds.filter(({ declared }) => declared !== false).sort((a, b) => a.applyOrder - b.applyOrder);

/** The list of a kind that holds what people declared. */
function listOf({ kind, declared }: KindDefinition, namespace: string | undefined): ListRequest {
  const fields = typeof declared === 'object' && [{ path: 'status.phase', op: 'eq', value: declared.phase } as const];
  return { kind, limit: PAGE, ...(namespace !== undefined && { namespace }), ...(fields && { fields }) };
}

const isDeclared = ({ declared }: KindDefinition, { spec }: Resource): boolean => typeof declared !== 'object' || declared.where(spec);

interface Origin {
  readonly namespace: string | undefined;
  readonly version: string;
  readonly at: string;
}

class ExportText {
  readonly #documents: string[] = [];
  readonly #secrets: string[] = [];
  #chars = 0;
  #derived = 0;

  add(object: Resource, { writeOnly }: KindDefinition): void {
    if (OWNER_ANNOTATIONS.some((name) => object.metadata.annotations?.[name] !== undefined)) return void (this.#derived += 1);
    if (writeOnly) return void this.#secrets.push(secretLine(object));
    const document = stringify(documentOf(object), { lineWidth: 0, aliasDuplicateObjects: false, sortMapEntries: true });
    this.#documents.push(document);
    this.#chars += document.length;
    if (this.#documents.length > EXPORT_OBJECTS_MAX || this.#chars > EXPORT_MAX_CHARS)
      throw new ServiceError(
        'too_large',
        `an export holds at most ${EXPORT_OBJECTS_MAX} objects and 32 MiB; export one namespace after the other`,
      );
  }

  text({ namespace, version, at }: Origin): string {
    const count = this.#documents.length;
    const comments = [
      `Export of ${namespace === undefined ? 'all namespaces' : `namespace ${namespace}`} by version ${version} at ${at}: ${count} ${count === 1 ? 'object' : 'objects'}.`,
      'It has no runs, sessions, memory entries, users or tokens. Import it with: svcctl apply -f FILE',
      ...(count > APPLY_DOCUMENTS_MAX
        ? [`One apply accepts ${APPLY_DOCUMENTS_MAX} objects: export each namespace separately to import this elsewhere.`]
        : []),
      ...(this.#derived > 0
        ? [
            `${this.#derived} ${this.#derived === 1 ? 'object is' : 'objects are'} left out, which the server makes again from an McpServer or a SealedSecret.`,
          ]
        : []),
      ...(this.#secrets.length > 0 ? ['Secrets to write by hand, with their keys; their values are not exported:', ...this.#secrets] : []),
    ];
    return [comments.map((line) => `# ${line}\n`).join(''), ...this.#documents].join('---\n');
  }
}

/** As text that ends no comment: names of keys are free text. */
function secretLine(secret: Resource): string {
  const keys = Object.keys(specOf('Secret', secret).data ?? {}).sort();
  const { namespace, name } = secret.metadata;
  return `  ${namespace}/${name}: ${JSON.stringify(keys).replace(/[\u0085\u2028\u2029]/g, ' ')}`;
}

/** The parts that a writer may set. */
function documentOf({ kind, metadata, spec }: Resource) {
  const { name, namespace, labels = {}, annotations = {} } = metadata;
  const maps = Object.entries({ labels, annotations }).filter(([, map]) => Object.keys(map).length > 0);
  return { apiVersion: API_VERSION, kind, metadata: { name, namespace, ...Object.fromEntries(maps) }, spec };
}
