// Shows as text the parts that Markdown hides from a reader: nobody can hide a sentence from a reviewer in a definition, a title or a
// fence. Pure.

interface MarkdownNode {
  readonly type: string;
  children?: MarkdownNode[];
  readonly value?: string;
  readonly title?: string | null;
  readonly lang?: string | null;
  readonly meta?: string | null;
  readonly position?: { readonly start: { readonly offset?: number }; readonly end: { readonly offset?: number } };
}

const textNode = (value: string): MarkdownNode => ({ type: 'text', value });
const paragraph = (value: string): MarkdownNode => ({ type: 'paragraph', children: [textNode(value)] });

function sourceOf({ position }: MarkdownNode, source: string): string {
  return source.slice(position?.start.offset ?? 0, position?.end.offset ?? 0);
}

/** Name of a language: the frame of the code shows it. */
const isLanguage = (lang: string): boolean => /^[a-z][\w+#.-]{0,19}$/i.test(lang);

function shown(node: MarkdownNode, source: string): MarkdownNode[] {
  const { type, title, lang, meta } = node;
  if (type === 'definition' || type === 'footnoteDefinition') return [paragraph(sourceOf(node, source)), node];
  if ((type === 'link' || type === 'image') && title) return [node, textNode(` "${title}"`)];
  if (type === 'code' && (lang ?? '') !== '' && !(isLanguage(lang ?? '') && (meta ?? '') === ''))
    return [paragraph([lang, meta].filter(Boolean).join(' ')), node];
  return [node];
}

/** A plugin for the parser. */
export function showHiddenParts() {
  return (tree: MarkdownNode, file: unknown): void => {
    const source = String(file);
    const open = [tree];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (!node.children) continue;
      open.push(...node.children);
      node.children = node.children.flatMap((child) => shown(child, source));
    }
  };
}
