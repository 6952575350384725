import type { CallOptions, ToolCall } from '@fairlead/connector-runtime/call';
import { expect, test } from 'vitest';
import { memoryRounds, nextRound, ROUND_CLIENT } from '../../testing/memory-rounds.ts';
import { workflowDeps } from '../../testing/memory-workflows.ts';
import { toolRequest } from '../../testing/tool-calls.ts';
import { executeInRounds } from './execute-in-rounds.ts';
import type { CallRound } from './run-in-rounds.ts';

test('a tool that asks its client is executed once, over two rounds', async () => {
  const { ctx, deps } = workflowDeps();
  let executions = 0;
  const runtime = {
    ...deps.runtime,
    async execute(_call: ToolCall, { client }: CallOptions) {
      executions += 1;
      await client?.request('elicitation/create', { message: 'Who?' });
      return { isSuccess: true as const, output: {}, attempts: 1 };
    },
  };
  const all = { ...deps, ...memoryRounds(), runtime };
  const encode = () => ({ outcome: Buffer.from('done'), isFailed: false });
  const round = async (client: object) => {
    const read: unknown[] = [];
    for await (const message of executeInRounds(
      all,
      ctx,
      toolRequest(),
      { ...ROUND_CLIENT, ...client },
      encode,
    ))
      read.push(message);
    return read;
  };
  const [asked] = (await round({})) as [CallRound];
  expect(asked.call).toMatchObject({
    toolName: toolRequest().toolSlug,
    requests: [{ params: '{"message":"Who?"}' }],
  });
  expect(await round(nextRound(asked))).toMatchObject([
    { call: { end: { kind: 'outcome', outcome: Buffer.from('done') } } },
  ]);
  expect(executions).toBe(1);
});
