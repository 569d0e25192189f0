// One object of any kind: overview, text, relations, events.
import { NotFoundPage } from '../../ui/feedback/NotFoundPage.tsx';
import { useAddressParam } from '../../navigation/scope.ts';
import { kindOfPlural } from '../../kinds/kind-table.ts';
import { ObjectView } from './object/ObjectView.tsx';

export function ObjectPage() {
  const plural = useAddressParam('plural');
  const namespace = useAddressParam('ns');
  const name = useAddressParam('name');
  const kind = kindOfPlural(plural);
  if (!kind)
    return <NotFoundPage title={`There are no "${plural}" here`} explanation="There is no kind of this name. Check the address." />;
  return <ObjectView key={`${plural} ${namespace}/${name}`} kind={kind} object={{ kind: kind.kind, namespace, name }} />;
}
