// The guides of the product, of the same version as the console.
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { pageAddress } from '../../navigation/addresses.ts';
import { usePageTitle } from '../../navigation/page-title.ts';
import { useScope } from '../../navigation/scope.ts';
import { textParam, useSearchState } from '../../navigation/search-state.ts';
import { NotFoundPage } from '../../ui/feedback/NotFoundPage.tsx';
import { QueryState } from '../../ui/feedback/QueryState.tsx';
import { PageHeader } from '../../ui/layout/PageHeader.tsx';
import { GuideText } from './GuideText.tsx';
import { INDEX, loadGuide } from './guides.ts';

const PARAMS = { guide: textParam, at: textParam };

export function HelpPage() {
  const { scope } = useScope();
  const [{ guide: named, at }] = useSearchState(PARAMS);
  const guide = named === '' ? INDEX : named;
  const query = useQuery({ queryKey: ['guide', guide], queryFn: () => loadGuide(guide), staleTime: Infinity });
  const { data } = query;
  const title = data?.title ?? '';
  usePageTitle(title === '' ? 'Help' : `${title} · Help`);
  useEffect(() => {
    if (!data) return;
    const [main, heading] = [document.getElementById('main'), document.getElementById(at)];
    if (heading) heading.scrollIntoView();
    else main?.scrollTo({ top: 0 });
    // The link that led here went with its guide.
    if (document.activeElement === document.body) (heading ?? main)?.focus({ preventScroll: true });
  }, [data, at]);
  if (data === null) return <NotFoundPage title={`There is no guide “${guide}”`} />;
  const crumbs = guide === INDEX ? [] : [{ label: 'Help', href: pageAddress(scope, 'help') }];
  return (
    <>
      <PageHeader crumbs={crumbs} title={guide === INDEX ? 'Help' : title} />
      <article className="max-w-4xl px-6 pb-16 max-sm:px-4">
        <QueryState query={query} title="The guide could not be loaded" skeleton="h-60 rounded-lg" />
        {data && <GuideText guide={guide} text={data.text} />}
      </article>
    </>
  );
}
