// The box that explains a field: what it is, its type, default and allowed values. Built as nodes, all text as text.
import type { Field } from '@svc/shared/kinds/kind-fields';
import { typeText } from '../../yaml/schema-source.ts';

function element(tag: string, text: string, className = ''): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className !== '') made.className = className;
  return made;
}

/** A description with backticks shown as code. */
function prose(text: string): HTMLElement {
  const line = element('p', '');
  for (const [index, part] of text.split('`').entries()) line.append(index % 2 === 1 ? element('code', part) : part);
  return line;
}

/** `link`: the object that the value names. */
export function docsBox(name: string, schema: Field, link?: { readonly href: string; readonly text: string }): HTMLElement {
  const box = element('div', '', 'cm-docs');
  const title = element('p', '');
  title.append(element('code', name), ` ${typeText(schema)}${schema.required ? ', required' : ''}`);
  box.append(title);
  if (schema.description !== '') box.append(prose(schema.description));
  const facts = [
    schema.defaultText === undefined ? '' : `Default: ${schema.defaultText}`,
    schema.values.length === 0 ? '' : `One of: ${schema.values.join(', ')}`,
  ].filter((fact) => fact !== '');
  for (const fact of facts) box.append(element('p', fact, 'cm-docs-facts'));
  if (link) {
    const anchor = element('a', link.text) as HTMLAnchorElement;
    anchor.href = link.href;
    const line = element('p', '', 'cm-docs-facts');
    line.append(anchor);
    box.append(line);
  }
  return box;
}
