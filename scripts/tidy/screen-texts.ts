// Finds texts of screens with words that people do not use of software, or with another noun than the one of the thing.
import ts from 'typescript';
import type { Finding } from './language.ts';
import { files, read } from './tree.ts';

const PARAPHRASES =
  /\b(tak(e|es|en|ing) back|stands? (here|side by side|in the trace)|tells? of|says (who|why)|knows? no|be asked|is there (already|more than once)|look at (it|them)|looked (at|through)|lives? in|live in another|no answer came|goes on|under way)\b/i;
/** A run is a run and a connection a connection; `Task` and `edges` are names of YAML. A Session has a capital, a run and an approval none. */
const NOUNS =
  /(?<![/#-])\btasks?\b|\b(the|another|an?) (routes?|edges?)\b|(?<![/#:.-])\bsessions?\b(?![.:/])|\b(an?|each|every|no|this|these) (Runs?|Approvals?)\b/;

export const breaksScreenRules = (text: string): boolean => PARAPHRASES.test(text) || NOUNS.test(text);

/** Texts between elements and strings of several words, without addresses, names of classes and code in templates. */
export function screenTexts(path: string, content: string): Finding[] {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(path, content, ts.ScriptTarget.Latest, false, kind);
  const found: Finding[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isJsxAttribute(node) && ts.isIdentifier(node.name) && node.name.text === 'className') return;
    const text = textOf(node);
    if (text !== undefined && / /.test(text))
      found.push({ path, line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1, text });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isJsxText(node) || ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node))
    return node.text.replace(/\s+/g, ' ').trim();
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…');
}

const SCREENS = /^(renderer|electron)\/.*\.tsx?$/;
const NO_SCREEN = /\.(test|d)\.tsx?$|\/(testing|build)\/|-fixture\.ts$/;

export const screenFindings = (): Finding[] =>
  files(SCREENS)
    .filter((path) => !NO_SCREEN.test(path))
    .map((path) => ({ path, content: read(path) }))
    // Parsing takes most of the time.
    .filter(({ content }) => breaksScreenRules(content.replace(/\s+/g, ' ')))
    .flatMap(({ path, content }) => screenTexts(path, content))
    .filter(({ text }) => breaksScreenRules(text));
