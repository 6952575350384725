import { expect, onTestFinished } from 'vitest';
import { KEY, TOKEN, TOKEN_PATH } from './way-in.ts';
import type { startWayIn } from './way-in.ts';

/** The endpoint path of HTTP+SSE. */
export const SSE_PATH = `/mcp/${TOKEN}/sse`;

type WayIn = Awaited<ReturnType<typeof startWayIn>>;

/** An event-stream response, and the events received by its client. */
function readEvents(response: Response, left: AbortController) {
  let text = '';
  const ended = (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  })().catch(() => undefined);
  const events = () =>
    [...text.matchAll(/event: (.*)\n(?:id: (.*)\n)?data: (.*)\n\n/g)].map(([, event, id, data]) => ({
      event,
      data,
      ...(id !== undefined && { id }),
    }));
  /** The messages in the stream's events. */
  const messages = (): unknown[] =>
    events()
      .filter(({ event }) => event === 'message')
      .map(({ data = '' }) => JSON.parse(data) as unknown);
  return { response, text: () => text, events, messages, ended, leave: () => left.abort() };
}

/** Opens a stream by GET. */
export async function openStream(
  { service }: Pick<WayIn, 'service'>,
  path: string,
  headers: Record<string, string> = {},
) {
  const left = new AbortController();
  onTestFinished(() => left.abort());
  const response = await fetch(service.url + path, { headers: { ...KEY, ...headers }, signal: left.signal });
  return readEvents(response, left);
}

/** An HTTP+SSE stream, and the URL for its messages. */
export async function openSse(wayIn: Pick<WayIn, 'service'>, path = SSE_PATH) {
  const stream = await openStream(wayIn, path);
  await expect.poll(stream.events).toHaveLength(1);
  const [{ data: endpoint = '' } = {}] = stream.events();
  return {
    ...stream,
    endpoint,
    answers: () =>
      stream
        .events()
        .slice(1)
        .map(({ data }) => data),
  };
}

/** Posts a message whose answer may be a stream. */
export async function postStreaming(
  { service }: Pick<WayIn, 'service'>,
  json: object,
  headers: Record<string, string> = {},
) {
  const left = new AbortController();
  onTestFinished(() => left.abort());
  const response = await fetch(service.url + TOKEN_PATH, {
    method: 'POST',
    headers: { ...KEY, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(json),
    signal: left.signal,
  });
  return readEvents(response, left);
}
