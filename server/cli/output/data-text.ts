// Values as YAML that can be examined: it reads back as the same value, and no scalar holds a raw hidden character.
import { Document, isScalar, stringify, visit } from 'yaml';
import { holdsHidden, escapeHiddenYaml } from './hidden-text.ts';

const FORMAT = { lineWidth: 0 };

export function yamlText(value: unknown): string {
  const text = stringify(value, FORMAT).trimEnd();
  if (!holdsHidden(text)) return text;
  const document = new Document(value);
  visit(document, {
    Scalar: (_key, node) => {
      if (isScalar(node) && typeof node.value === 'string' && holdsHidden(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeHiddenYaml(document.toString(FORMAT).trimEnd());
}
