// The filter of a list by prefix of names.
import { SearchField, type SearchFieldProps } from './SearchField.tsx';

export function NameSearch(props: Pick<SearchFieldProps, 'value' | 'onChange' | 'title'>) {
  return <SearchField label="Name begins with" placeholder="Name begins with…" {...props} />;
}
