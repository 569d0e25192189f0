import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { Markdown } from './Markdown.tsx';

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

test('a link says where it goes and asks before it opens', async () => {
  const open = vi.spyOn(window, 'open').mockReturnValue(null);
  render(<Markdown text="See [the docs](https://example.com/a?b=c)." />);
  await userEvent.click(await screen.findByRole('button', { name: 'the docs' }, LOADING));
  expect(open).not.toHaveBeenCalled();
  expect(screen.getByRole('dialog').textContent).toContain('https://example.com/a?b=c');
  await userEvent.click(screen.getByRole('button', { name: 'Open in a new tab' }));
  expect(open).toHaveBeenCalledWith('https://example.com/a?b=c', '_blank', 'noopener,noreferrer');
});
