import type { Exchange } from '@fairlead/service-kit/http/exchange';
import type { Mount } from '@fairlead/service-kit/http/app';
import { expect, test } from 'vitest';
import { createPollMount } from './poll-mount.ts';

/** Handles a request that the service does not answer before `answer` resolves; returns the status so far. */
function send(mount: Mount, path: string): () => number | undefined {
  let status: number | undefined;
  const response = {
    headersSent: false,
    setHeader: () => undefined,
    end() {
      status = response.statusCode;
      response.headersSent = true;
    },
    statusCode: 0,
  };
  // Nothing else of an exchange is used.
  const [exchange, request] = [{}, { originalUrl: path }] as unknown as [Exchange, never];
  void mount.handle(exchange, request, response as never);
  return () => status;
}

test('a gateway that stops ends its polls, and those that come later, and nothing else', () => {
  const passedOn: string[] = [];
  const proxy = {
    mount: (prefix: Mount['prefix']): Mount => ({
      prefix,
      timeoutMs: 1,
      maxBodyBytes: 0,
      handle(_exchange, { originalUrl }) {
        passedOn.push(originalUrl);
        return new Promise(() => undefined);
      },
    }),
  };
  const polls = createPollMount(proxy, { prefix: '/agent/v1', pollPath: '/agent/v1/poll' });
  const poll = send(polls.mount, '/agent/v1/poll?a');
  const result = send(polls.mount, '/agent/v1/tasks/1/result');
  expect([poll(), result()]).toEqual([undefined, undefined]);
  polls.drain();
  const later = send(polls.mount, '/agent/v1/poll');
  expect([poll(), result(), later()]).toEqual([204, undefined, 204]);
  expect(passedOn).toEqual(['/agent/v1/poll?a', '/agent/v1/tasks/1/result']);
});
