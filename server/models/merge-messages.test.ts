// Merging of chat messages for providers that expect roles to alternate.
import { expect, test } from 'vitest';
import type { ChatMessage } from '../engine/ports.ts';
import { mergeMessages } from './merge-messages.ts';

const call = { id: '1', name: 'look', arguments: '{}' };

test('leaves messages as they are when there is nothing to merge', () => {
  const messages: ChatMessage[] = [
    { role: 'system', content: 'You are a.' },
    { role: 'user', content: 'one' },
    { role: 'assistant', content: '', toolCalls: [call, { ...call, id: '2' }] },
    { role: 'tool', toolCallId: '1', toolName: 'look', content: 'x' },
    { role: 'tool', toolCallId: '2', toolName: 'look', content: 'y' },
    { role: 'assistant', content: 'two' },
    { role: 'user', content: 'three' },
  ];
  expect(mergeMessages(messages)).toEqual(messages);
});

test('joins texts of one role with a blank line, and puts system messages first', () => {
  expect(
    mergeMessages([
      { role: 'user', content: 'one' },
      { role: 'system', content: 'a' },
      { role: 'user', content: '' },
      { role: 'user', content: 'two' },
      { role: 'system', content: 'b' },
      { role: 'assistant', content: 'x' },
      { role: 'assistant', content: 'y' },
    ]),
  ).toEqual([
    { role: 'system', content: 'a\n\nb' },
    { role: 'user', content: 'one\n\ntwo' },
    { role: 'assistant', content: 'x\n\ny' },
  ]);
});

test('keeps a text apart from the tool calls before it', () => {
  const messages: ChatMessage[] = [
    { role: 'assistant', content: 'looking', toolCalls: [call] },
    { role: 'assistant', content: 'done' },
  ];
  expect(mergeMessages(messages)).toEqual(messages);
});
