// Text of a guide: its links lead to other guides, its headings have ids. Pictures are left out.
import { useMemo } from 'react';
import { guideAddress } from '../../navigation/addresses.ts';
import { useScope } from '../../navigation/scope.ts';
import { Link } from '../../ui/link/Link.tsx';
import { MarkdownBody, textOf, UNTRUSTED, type MarkdownComponents } from '../../ui/text/MarkdownBody.tsx';
import { headingId, placeOf } from './guides.ts';

const HEADINGS: MarkdownComponents = {
  h2: ({ node, children }) => (
    <h2 id={headingId(textOf(node))} tabIndex={-1} className="mt-8 mb-2 scroll-mt-4 text-lg font-semibold first:mt-0">
      {children}
    </h2>
  ),
  h3: ({ node, children }) => (
    <h3 id={headingId(textOf(node))} tabIndex={-1} className="mt-6 mb-2 scroll-mt-4 text-md font-semibold first:mt-0">
      {children}
    </h3>
  ),
  img: () => null,
};

/** Words stay whole, so that wide tables scroll. Tables of pairs have an empty head. */
const LAYOUT = '[overflow-wrap:break-word] [&_thead:not(:has(th:not(:empty)))]:hidden';

export function GuideText({ guide, text }: { readonly guide: string; readonly text: string }) {
  const { scope } = useScope();
  const components = useMemo(
    (): MarkdownComponents => ({
      ...UNTRUSTED,
      ...HEADINGS,
      a: ({ href = '', children }) => {
        const place = placeOf(href, guide);
        if (place)
          return (
            <Link href={guideAddress(scope, place.guide, place.at)} className="underline">
              {children}
            </Link>
          );
        return /^https?:/.test(href) ? UNTRUSTED.a({ href, children }) : <span>{children}</span>;
      },
    }),
    [guide, scope],
  );
  return <MarkdownBody text={text} components={components} className={LAYOUT} />;
}
