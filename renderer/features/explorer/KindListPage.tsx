// List of objects of the kind that the address names.
import { UnknownKindPage } from './parts/UnknownKindPage.tsx';
import { useAddressParam } from '../../navigation/scope.ts';
import { kindOfPlural } from '../../kinds/kind-table.ts';
import { SESSION } from '../sessions/model/session.ts';
import { ConversationFiles } from '../sessions/parts/ConversationFiles.tsx';
import { KindList } from './list/KindList.tsx';

export function KindListPage() {
  const plural = useAddressParam('plural');
  const kind = kindOfPlural(plural);
  if (!kind) return <UnknownKindPage plural={plural} />;
  const list = <KindList key={kind.kind} kind={kind} />;
  return kind.kind === SESSION ? <ConversationFiles>{list}</ConversationFiles> : list;
}
