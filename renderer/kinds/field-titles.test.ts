// Fields of kinds and their values in words.
import { kinds } from '@svc/shared/kinds';
import { kindFields, type Field } from '@svc/shared/kinds/kind-fields';
import { expect, test } from 'vitest';
import { fieldTitle, valueTitle } from './field-titles.ts';

test.each([
  ['model_ref', 'Model'],
  ['secretRef', 'Secret'],
  ['ref', 'Ref'],
  ['lastSyncedAt', 'Last synced at'],
  ['a2a', 'A2A'],
  ['mcp_tool_name', 'MCP tool name'],
  ['args', 'Arguments'],
])('the field %s reads %s', (name, title) => {
  expect(fieldTitle(name)).toBe(title);
});

test.each([
  ['approval_required', 'Approval required'],
  ['short_circuit', 'Use the earlier result'],
  ['gateway-a', 'OpenAI'],
  ['dynamic', 'dynamic'],
  ['2026-07-28', '2026-07-28'],
])('the value %s reads %s', (value, title) => {
  expect(valueTitle(value)).toBe(title);
});

function* groupsOf(field: Field): Generator<readonly Field[]> {
  yield [...field.fields.values()];
  for (const child of [...field.fields.values(), ...field.options, ...(field.item ? [field.item] : [])]) yield* groupsOf(child);
}

test('no two fields beside each other have one title, and no value of a field the title of another', () => {
  for (const definition of kinds) {
    for (const group of kindFields(definition).flatMap((part) => [...groupsOf(part)])) {
      const titles = group.map(({ name }) => fieldTitle(name));
      expect(new Set(titles).size, `${definition.kind}: ${titles.join(', ')}`).toBe(titles.length);
      for (const { values } of group) expect(new Set(values.map(valueTitle)).size).toBe(values.length);
    }
  }
});
