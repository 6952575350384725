import type { CallOptions } from '@fairlead/connector-runtime/call';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { testContext } from '@fairlead/service-kit/testing/context';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import { expect, test } from 'vitest';
import { authenticationMethod, connectorHead, toolDefinition } from '../../testing/fixtures.ts';
import { memoryRounds, nextRound, ROUND_CLIENT } from '../../testing/memory-rounds.ts';
import { catalogOf, connection, connectionsOf } from '../../testing/tool-calls.ts';
import { requestInRounds } from './request-in-rounds.ts';
import type { CallRound } from './run-in-rounds.ts';

test('a prompt that asks its client is requested once, over two rounds', async () => {
  const head = connectorHead({ kind: 'MCPClient', authenticationMethods: [authenticationMethod()] });
  const permit = onePermit();
  const asked: unknown[] = [];
  const deps = {
    ...memoryRounds(),
    catalog: catalogOf(toolDefinition(), head),
    connections: connectionsOf(connection({ id: 7, applicationSlug: head.slug }), {
      kind: 'credential',
      credential: { version: 1, fields: {}, secrets: [] },
    }),
    runtime: {
      async execute(_call: unknown, { client }: CallOptions) {
        asked.push(await client?.request('elicitation/create', { message: 'Who?' }));
        return { isSuccess: true as const, output: { result: { messages: [] } }, attempts: 1 };
      },
    },
    outputMasker: { mask: (value: object) => Promise.resolve({ value: { ...value }, json: undefined }) },
    permits: permit,
    checkPermits: permit,
    vendorLimits: { until: () => undefined, note: () => undefined },
    timeoutMs: 5_000,
  };
  const ctx = testContext();
  const request = { type: 'method', method: 'prompts/get', params: LazyJson.of({ name: 'p' }) } as const;
  const encode = () => ({ outcome: Buffer.from('done'), isFailed: false });
  const round = async (client: object) => {
    const read: unknown[] = [];
    for await (const message of requestInRounds(
      deps,
      ctx,
      7,
      request,
      { ...ROUND_CLIENT, ...client },
      encode,
    ))
      read.push(message);
    return read;
  };
  const [first] = (await round({})) as [CallRound];
  expect(first.call).toMatchObject({ toolName: 'prompts/get', requests: [{ params: '{"message":"Who?"}' }] });
  expect(await round(nextRound(first))).toMatchObject([{ call: { end: { kind: 'outcome' } } }]);
  expect(asked).toEqual([{ action: 'accept' }]);
});
