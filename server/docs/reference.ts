// All generated reference pages by their path. Deterministic: made from definitions alone, without a server, a clock or the environment.
import { kinds } from '@svc/shared/kinds';
import { describeProgram } from '../cli/program/describe-commands.ts';
import { describeRoutes } from '../http/route-table.ts';
import { apiPage } from './api-page.ts';
import { kindIndexPage, kindPage } from './kind-pages.ts';
import { svcctlPage } from './svcctl-page.ts';
import { svcdPage } from './svcd-page.ts';

/** Page texts by file name, relative to docs/reference. */
export type Pages = ReadonlyMap<string, string>;

export async function referencePages(): Promise<Pages> {
  return new Map([
    ['api.md', apiPage(describeRoutes())],
    ['svcctl.md', svcctlPage(await describeProgram())],
    ['svcd.md', svcdPage()],
    ['kinds/README.md', kindIndexPage()],
    ...kinds.map((kind): [string, string] => [`kinds/${kind.plural}.md`, kindPage(kind)]),
  ]);
}
