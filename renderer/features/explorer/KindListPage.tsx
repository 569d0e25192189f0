// List of objects of the kind that the address names.
import { NotFoundPage } from '../../ui/feedback/NotFoundPage.tsx';
import { useAddressParam } from '../../navigation/scope.ts';
import { kindOfPlural } from '../../kinds/kind-table.ts';
import { KindList } from './list/KindList.tsx';

export function KindListPage() {
  const plural = useAddressParam('plural');
  const kind = kindOfPlural(plural);
  if (!kind)
    return <NotFoundPage title={`There are no "${plural}" here`} explanation="There is no kind of this name. Check the address." />;
  return <KindList key={kind.kind} kind={kind} />;
}
