// Items of the catalogue as the text of a drag, which any page may have written.
import { expect, test } from 'vitest';
import { itemOf, itemText, type CatalogueItem } from './offer.ts';

const ITEMS: readonly CatalogueItem[] = [
  { kind: 'tool', ref: 'lib/mail' },
  { kind: 'model', ref: 'small' },
  { kind: 'tool-template', id: 'http' },
  { kind: 'vendor', id: 'gateway-a' },
];

test.each(ITEMS)('$kind returns from the text of its drag', (item) => {
  expect(itemOf(itemText(item))).toEqual(item);
});

test.each(['', 'tool', 'tool ', 'secret mail', '__proto__ x'])('the foreign text %j is not an item', (text) => {
  expect(itemOf(text)).toBeUndefined();
});
