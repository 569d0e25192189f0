// The filter of a list by a part of the names.
import { SearchField, type SearchFieldProps } from '../input/SearchField.tsx';

export function NameSearch(props: Pick<SearchFieldProps, 'ref' | 'value' | 'onChange' | 'title'>) {
  return <SearchField label="Name contains" placeholder="Name contains…" {...props} />;
}
