// All events of a stream that ends by itself.

export interface SseEvent {
  readonly event: string | undefined;
  readonly data: any;
}

export async function readSse(response: Response): Promise<SseEvent[]> {
  const blocks = (await response.text()).split('\n\n').filter((block) => block !== '' && !block.startsWith(':'));
  return blocks.map((block) => {
    const field = (name: string) =>
      block
        .split('\n')
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2);
    return { event: field('event'), data: JSON.parse(field('data') ?? 'null') };
  });
}
