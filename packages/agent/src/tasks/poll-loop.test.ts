import type { AgentTask, PollAnswer } from '@fairlead/agent-channel/poll-answer';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { expect, test } from 'vitest';
import { PollLoop } from './poll-loop.ts';

const settings = { parallelTasks: 2, pullPeriodSeconds: 10, logLevel: 'Information' } as const;

test('the next poll is sent after a task that came has gone to its worker', async () => {
  const seen: string[] = [];
  const stop = new AbortController();
  const task: AgentTask = { id: 'task', kind: 'logs', hasEffects: false, remainingMs: 60_000 };
  const answers: PollAnswer[] = [{ settings, tasks: [task], cancelledTaskIds: [] }];
  const loop = new PollLoop({
    channel: {
      hello: () => Promise.resolve({ agentId: 1, name: 'Lab', applicationSlug: 'onprem-http', settings }),
      poll() {
        seen.push('poll');
        const answer = answers.shift();
        if (answer === undefined) stop.abort();
        return Promise.resolve(answer);
      },
      goodbye: () => Promise.resolve(),
    },
    hello: { version: '1.2.3', platform: 'linux-x64', profiles: [] },
    setLogLevel: () => undefined,
    async runTask() {
      // Handlers are found, and calls read, in a few turns.
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      seen.push('sent');
    },
    shutdownGraceMs: 0,
    log: createLogger({ service: 'test', level: 'silent' }),
  });
  await loop.run(stop.signal);
  expect(seen.slice(0, 3)).toEqual(['poll', 'sent', 'poll']);
});
