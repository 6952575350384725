// A separate process that reads large responses completely, and discards them.
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { handleWith, reportReady } from '../child.ts';
import { closedLoop } from '../closed-loop.ts';
import type { LoadRequest } from '../requests.ts';

handleWith(async ({ url, headers, callers, durationMs }: LoadRequest) => {
  const agent = new Agent({ keepAlive: true });
  const read = async (): Promise<void> => {
    const [response] = (await once(get(url, { headers, agent }), 'response')) as [IncomingMessage];
    await finished(response.resume());
    if (response.statusCode !== 200) throw new Error('The answer is not 200.');
  };
  const result = await closedLoop(
    Array.from({ length: callers }, () => read),
    durationMs,
  );
  agent.destroy();
  return result;
});
reportReady({});
