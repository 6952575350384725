import type { AgentTask, PollAnswer } from '@fairlead/agent-channel/poll-answer';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { expect, test } from 'vitest';
import { PollLoop } from './poll-loop.ts';

const settings = { parallelTasks: 2, pullPeriodSeconds: 10, logLevel: 'Information' } as const;

test('the next poll is sent once a short task has ended, and beside a longer one', async () => {
  const seen: string[] = [];
  const stop = new AbortController();
  const longEnds = Promise.withResolvers<void>();
  const answers = ['short', 'long'].map((id): PollAnswer => {
    const task: AgentTask = { id, kind: 'logs', hasEffects: false, remainingMs: 60_000 };
    return { settings, tasks: [task], cancelledTaskIds: [] };
  });
  const loop = new PollLoop({
    channel: {
      hello: () => Promise.resolve({ agentId: 1, name: 'Lab', applicationSlug: 'onprem-http', settings }),
      poll() {
        seen.push('poll');
        const answer = answers.shift();
        if (answer === undefined) {
          stop.abort();
          longEnds.resolve();
        }
        return Promise.resolve(answer);
      },
      goodbye: () => Promise.resolve(),
    },
    hello: { version: '1.2.3', platform: 'linux-x64', profiles: [] },
    setLogLevel: () => undefined,
    async runTask({ id }) {
      await new Promise(setImmediate);
      if (id === 'long') await longEnds.promise;
      seen.push(id);
    },
    shutdownGraceMs: 0,
    log: createLogger({ service: 'test', level: 'silent' }),
  });
  await loop.run(stop.signal);
  expect(seen.slice(0, 4)).toEqual(['poll', 'short', 'poll', 'poll']);
});
