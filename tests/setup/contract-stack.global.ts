import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findLeaks } from '../contract/support/canary.ts';
import { listenToMessages } from '../observability/support/messages.ts';
import { givenOrStartedStack } from './start-stack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the stack's data and logs. */
    data: string;
  }
}

/**
 * The stack for the contract tests. Every exchange with it is kept, and at the end of the run no secret of any of them may
 * be found in a log, metric, message, document or answer that is not there to give it out: otherwise the run fails.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { stack, data, stop } = await givenOrStartedStack({ env: { LOG_LEVEL: 'debug' } });
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-test-exchanges-'));
  const exchanges = join(folder, 'exchanges.jsonl');
  // It holds secrets.
  await writeFile(exchanges, '', { mode: 0o600 });
  const listener = await listenToMessages(stack.natsUrl);
  project.provide('stack', stack);
  project.provide('data', data);
  project.provide('exchanges', exchanges);
  return async () => {
    try {
      const { secrets, bytes, leaks } = await findLeaks({
        stack,
        data,
        exchanges,
        messages: listener.heard(),
      });
      await listener.close();
      if (leaks.length > 0) throw new Error(`Secrets leaked:\n${leaks.join('\n')}`);
      console.log(`Of ${secrets} secrets none was found in ${(bytes / 1_000_000).toFixed(1)} MB of traces.`);
    } finally {
      await rm(folder, { recursive: true, force: true });
      await stop();
    }
  };
}
