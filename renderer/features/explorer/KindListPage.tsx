// List of objects of the kind that the address names.
import { NotFoundPage } from '../../ui/feedback/NotFoundPage.tsx';
import { useAddressParam } from '../../navigation/scope.ts';
import { kindOfPlural } from '../../kinds/kind-table.ts';
import { SESSION } from '../sessions/model/session.ts';
import { ConversationFiles } from '../sessions/parts/ConversationFiles.tsx';
import { KindList } from './list/KindList.tsx';

export function KindListPage() {
  const plural = useAddressParam('plural');
  const kind = kindOfPlural(plural);
  if (!kind)
    return <NotFoundPage title={`There are no "${plural}" here`} explanation="There is no kind of this name. Check the address." />;
  const list = <KindList key={kind.kind} kind={kind} />;
  return kind.kind === SESSION ? <ConversationFiles>{list}</ConversationFiles> : list;
}
