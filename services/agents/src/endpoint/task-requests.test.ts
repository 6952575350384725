import { expect, test } from 'vitest';
import { newAgent } from '../testing/agents.ts';
import { ctx } from '../testing/use-case-deps.ts';
import { takeResult } from './task-requests.ts';
import type { TaskRequestDeps } from './task-requests.ts';
import type { AgentRequest } from './agent-request.ts';

const agent = newAgent();
const body = Buffer.from('{}');

/** Delivers a result; returns the order of events. */
async function deliver(hasEffects: boolean): Promise<readonly string[]> {
  const seen: string[] = [];
  const task = {
    id: 'task',
    accountId: 'acc_1',
    agentKey: agent.creationId,
    kind: 'call',
    hasEffects,
  } as const;
  // The code under test uses no other members.
  const deps = {
    sessions: {
      findByToken: () =>
        Promise.resolve({ ...agent, id: 1, accountId: 'acc_1', instance: 'it', pollId: null }),
    },
    tasks: {
      complete: () => {
        seen.push('stored');
        return Promise.resolve(true);
      },
    },
    waiting: {
      find: () => task,
      async resolve() {
        seen.push('passed on');
        // Stands for the turns that the use case and the RPC take.
        for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
        seen.push('sent');
      },
    },
    clock: { now: () => new Date(0) },
  } as unknown as TaskRequestDeps;
  const request = {
    ctx,
    credential: { tokenHash: 'hash', instance: 'it' },
    exchange: { readBody: () => Promise.resolve(body) },
    request: { headers: { 'content-type': 'application/json', 'content-length': '2' } },
    response: { writeHead: () => undefined, setHeader: () => undefined, end: () => seen.push('answered') },
  } as unknown as AgentRequest;
  await takeResult(deps, request, 'task');
  return seen;
}

test('the caller of a read has its result before that is stored; a call with effects ends first', async () => {
  expect((await deliver(false)).slice(0, 3)).toEqual(['passed on', 'sent', 'stored']);
  expect((await deliver(true)).slice(0, 2)).toEqual(['stored', 'passed on']);
});
