// One object of any kind: overview, text, relations, events.
import { UnknownKindPage } from './parts/UnknownKindPage.tsx';
import { useAddressParam } from '../../navigation/scope.ts';
import { kindOfPlural } from '../../kinds/kind-table.ts';
import { ObjectView } from './object/ObjectView.tsx';

export function ObjectPage() {
  const plural = useAddressParam('plural');
  const namespace = useAddressParam('ns');
  const name = useAddressParam('name');
  const kind = kindOfPlural(plural);
  if (!kind) return <UnknownKindPage plural={plural} />;
  return <ObjectView key={`${plural} ${namespace}/${name}`} kind={kind} object={{ kind: kind.kind, namespace, name }} />;
}
