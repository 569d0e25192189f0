// Search text of a log as a test of a line. Patterns are matched in linear time: none can block the page.
import { useEffect, useMemo, useState } from 'react';
import { textTest } from './log-lines.ts';

type Compile = (pattern: string) => { test(text: string): boolean };

export interface LineTest {
  readonly test: ((text: string) => boolean) | undefined;
  /** Problem of the pattern. */
  readonly problem: string | undefined;
}

export function useLineTest(find: string, regex: boolean): LineTest {
  const [compile, setCompile] = useState<Compile>();
  useEffect(() => {
    if (!regex || compile) return;
    let wanted = true;
    void import('@svc/shared/linear-regexp').then(({ linearRegExp }) => {
      if (wanted) setCompile(() => linearRegExp);
    });
    return () => {
      wanted = false;
    };
  }, [regex, compile]);
  return useMemo(() => {
    if (!regex || find === '') return { test: textTest(find), problem: undefined };
    if (!compile) return { test: undefined, problem: undefined };
    try {
      const pattern = compile(find);
      return { test: (text) => pattern.test(text), problem: undefined };
    } catch {
      return { test: undefined, problem: 'This is not a valid pattern. Look-around and back-references are not supported' };
    }
  }, [find, regex, compile]);
}
