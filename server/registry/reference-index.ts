// Contents of the store's index for an object: references, sort values and texts; and which fields of which kinds can hold references at all. Pure.
import { kindByName, kinds } from '@svc/shared/kinds';
import type { KindDefinition, Reference } from '@svc/shared/kinds/define';
import { wordsOf } from '@svc/shared/search-text';
import { kindFields } from '@svc/shared/kinds/kind-fields';
import type { Field } from '@svc/shared/kinds/kind-fields';
import type { RefField } from '@svc/shared/kinds/references';
import type { IndexFunctions, ReferencesOf, SortValuesOf, StoredObject, TextIndex } from '../store/store.ts';
import { INDEXED_FIELDS } from '../store/terms.ts';

/** To be raised when an object that is stored has other references, indexed fields, sort values or texts than before. */
export const REFERENCE_INDEX_VERSION = 8;

const REF_FORMAT = 'ref:';

export function allReferencesOf({ kind, namespace, name, spec }: StoredObject): Reference[] {
  return kindByName(kind)?.references(spec, { namespace, name }) ?? [];
}

/** Rows of the index of references: all references except those of an indexed field, which has its own rows. So a Task has none more to write. */
export const referencesOf: ReferencesOf = (object) => allReferencesOf(object).filter(({ path }) => !hasIndex(path));

const NO_VALUES = {};

export const sortValuesOf: SortValuesOf = (object) => {
  const sorts = kindByName(object.kind)?.sorts;
  return sorts && sorts.values.length > 0 ? (sorts.valuesOf(object) ?? NO_VALUES) : undefined;
};

/** Texts that the kinds name for searches. */
const texts: TextIndex = {
  versionOf: (object) => kindByName(object.kind)?.search?.versionOf(object),
  wordsOf: (object) => [...new Set(Object.values(kindByName(object.kind)?.search?.textsOf(object) ?? {}).flatMap(wordsOf))],
};

/** The index of a store that holds the service's kinds. */
export const objectIndex: IndexFunctions = { referencesOf, sortValuesOf, texts };

export function hasIndex(path: string): boolean {
  return INDEXED_FIELDS.some((indexed) => indexed === path);
}

const known = new Map<string, readonly RefField[]>();

/** From the kind's schema: fields of format `ref:<kind>`. */
export function refFieldsOf(definition: KindDefinition): readonly RefField[] {
  const fields = known.get(definition.kind) ?? fieldsBelow(kindFields(definition)[0], 'spec');
  known.set(definition.kind, fields);
  return fields;
}

function fieldsBelow(field: Field, path: string): RefField[] {
  const format = field.format ?? field.item?.format;
  const own = format?.startsWith(REF_FORMAT) ? [{ path, kind: format.slice(REF_FORMAT.length) }] : [];
  return [...own, ...[...field.children.values()].flatMap((child) => fieldsBelow(child, `${path}.${child.name}`))];
}

/** Kinds whose objects have rows in the index of references, sort values or texts. */
export function indexedKinds(): string[] {
  return kinds
    .filter(
      (definition) =>
        definition.sorts.values.length > 0 ||
        definition.search !== undefined ||
        refFieldsOf(definition).some(({ path }) => !hasIndex(path)),
    )
    .map(({ kind }) => kind);
}
