import { expect } from 'vitest';

/** An HTTP+SSE stream read by a test, and the address for its messages. */
export interface SseStream {
  /** All text received so far. */
  text(): string;
  /** Posts a message of the stream's session to the gateway at `origin`; returns the status. */
  post(origin: string, message: object): Promise<number>;
  close(): void;
}

/** Opens a stream; resolves once it has sent the address for messages. */
export async function openSseStream(url: string, apiKey: string): Promise<SseStream> {
  const closing = new AbortController();
  const headers = { 'x-api-key': apiKey };
  const response = await fetch(url, {
    headers: { ...headers, accept: 'text/event-stream' },
    signal: closing.signal,
  });
  expect(response.status).toBe(200);
  let text = '';
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? [])
      text += decoder.decode(Buffer.from(chunk), { stream: true });
  })().catch(() => undefined);
  await expect.poll(() => text).toMatch(/event: endpoint\n(?:.*\n)*?data: .+\n/);
  const path = /event: endpoint\n(?:.*\n)*?data: (.+)\n/.exec(text)?.[1] ?? '';
  return {
    text: () => text,
    async post(origin, message) {
      const answer = await fetch(origin + path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(message),
      });
      await answer.arrayBuffer();
      return answer.status;
    },
    close: () => closing.abort(),
  };
}
