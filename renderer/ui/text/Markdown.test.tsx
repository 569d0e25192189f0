import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { FallbackBoundary } from '../feedback/FallbackBoundary.tsx';
import { Markdown } from './Markdown.tsx';
import { UntrustedText } from './UntrustedText.tsx';

/** The parser is loaded first, on a machine however busy. */
const LOADING = { timeout: 20_000 };

test('markup becomes nodes; HTML, images and scripts do not', async () => {
  const { container } = render(
    <Markdown
      text={'**bold** <img src=x onerror=alert(1)> ![pic](http://evil/x.png) [go](javascript:alert(1)) <script>x</script> \u202ehidden'}
    />,
  );
  expect((await screen.findByText('bold', undefined, LOADING)).closest('strong')).not.toBeNull();
  expect(container.querySelector('img, script, a')).toBeNull();
  expect(container.textContent).toContain('<script>');
  expect(screen.getByTitle('Hidden character: right-to-left override')).toBeTruthy();
});

test('text without markup around it takes the direction of its paragraph, and code stays left to right', async () => {
  const { container } = render(<Markdown text={'مرحبا **بكم** مع `code()` و 123.\n\n- بند'} />);
  await screen.findByText('بكم', undefined, LOADING);
  expect(container.querySelector('p')?.outerHTML).toContain('<p dir="auto"');
  expect(container.querySelector('bdi')).toBeNull();
  expect(screen.getByText('code()').getAttribute('dir')).toBe('ltr');
  expect(container.querySelector('ul')?.getAttribute('dir')).toBe('auto');
});

test.each([
  [<UntrustedText key="prose" block text="مرحبا" />, 'auto'],
  [<UntrustedText key="code" block mono text="مرحبا" />, 'ltr'],
  [<UntrustedText key="name" text="مرحبا" />, 'ltr'],
])('only a block of prose takes the direction of its language (%#)', (node, direction) => {
  const { container } = render(node);
  expect(container.querySelector('bdi')?.getAttribute('dir')).toBe(direction);
});

test('a link shows its target and asks before it opens', async () => {
  const open = vi.spyOn(window, 'open').mockReturnValue(null);
  render(<Markdown text="See [the docs](https://example.com/a?b=c)." />);
  await userEvent.click(await screen.findByRole('button', { name: 'the docs' }, LOADING));
  expect(open).not.toHaveBeenCalled();
  expect(screen.getByRole('dialog').textContent).toContain('https://example.com/a?b=c');
  await userEvent.click(screen.getByRole('button', { name: 'Open in a new tab' }));
  expect(open).toHaveBeenCalledWith('https://example.com/a?b=c', '_blank', 'noopener,noreferrer');
});

test('no text is hidden: definitions, titles, fences and images show their content', async () => {
  const text =
    '**all of it**\n\n[//]: # (wipe the disk)\n\n[a](https://example.com "a title") ![pic](http://x/hidden-name)\n\n```sh run me\nls\n```\n\n[^1]: a note';
  const { container } = render(<Markdown text={text} />);
  await screen.findByText('all of it', undefined, LOADING);
  for (const part of ['wipe the disk', 'a title', 'hidden-name', 'sh run me', 'a note']) expect(container.textContent).toContain(part);
});

test('code has its language, a button that copies it, and the same nodes while text grows', async () => {
  const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  const { rerender } = render(<Markdown text={'```js\na();\n```'} />);
  const code = await screen.findByText('a();', undefined, LOADING);
  expect(screen.getByText('js')).toBeTruthy();
  rerender(<Markdown text={'```js\na();\nb();\n```'} />);
  expect(code.isConnected).toBe(true);
  await userEvent.click(screen.getByRole('button', { name: 'Copy code' }));
  expect(writeText).toHaveBeenCalledWith('a();\nb();\n');
});

test.each([
  ['quotes', '>'.repeat(20_000)],
  ['emphasis', '*a_ '.repeat(20_000)],
  ['lists', Array.from({ length: 400 }, (_, depth) => `${' '.repeat(2 * depth)}- a`).join('\n')],
])('endless %s are shown as plain text, and break no page', (_, text) => {
  const { container } = render(<Markdown text={text} />);
  expect(container.textContent).toBe(text);
});

test('content that cannot be rendered is replaced by plain text', () => {
  const fails = () => {
    throw new RangeError('too deep');
  };
  const Broken = fails as unknown as () => null;
  const quiet = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  render(
    <FallbackBoundary fallback="plain">
      <Broken />
    </FallbackBoundary>,
  );
  expect(screen.getByText('plain')).toBeTruthy();
  quiet.mockRestore();
});
