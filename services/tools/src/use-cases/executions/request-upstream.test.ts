import type { ToolOutcome, VendorCall } from '@fairlead/connector-runtime/call';
import type { CallingClient } from '@fairlead/connector-runtime/mcp/calling-client';
import { UnbuiltOutput } from '@fairlead/connector-runtime/outputs/unbuilt-output';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { testContext } from '@fairlead/service-kit/testing/context';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import { expect, test } from 'vitest';
import { authenticationMethod, connectorHead, toolDefinition } from '../../testing/fixtures.ts';
import { catalogOf, connection, connectionsOf } from '../../testing/tool-calls.ts';
import { requestUpstream } from './request-upstream.ts';

const SECRET = 'secret-of-the-connection';

/** Reads a resource of connection 7's server, which gives this answer. */
function requested(
  answer: ToolOutcome,
  o: {
    readonly kind?: 'MCPClient' | 'Regular';
    readonly secrets?: readonly string[];
    readonly client?: CallingClient;
    /** The server first sends a request to the client. */
    readonly speak?: (client: CallingClient) => void;
  } = {},
) {
  const { kind = 'MCPClient', secrets = [SECRET] } = o;
  const calls: VendorCall[] = [];
  const head = connectorHead({ kind, authenticationMethods: [authenticationMethod()] });
  const permit = onePermit();
  const result = requestUpstream(
    {
      catalog: catalogOf(toolDefinition(), head),
      connections: connectionsOf(connection({ id: 7, applicationSlug: head.slug }), {
        kind: 'credential',
        credential: { version: 1, fields: {}, secrets },
      }),
      runtime: {
        execute(call, { client }) {
          calls.push(call);
          if (client !== undefined) o.speak?.(client);
          return Promise.resolve(answer);
        },
      },
      outputMasker: {
        mask: (value, masker) => {
          const shown = masker.text(JSON.stringify(value));
          return Promise.resolve({ value: {}, json: new LazyJson(Buffer.from(shown)) });
        },
      },
      permits: permit,
      checkPermits: permit,
      vendorLimits: { until: () => undefined, note: () => undefined },
      timeoutMs: 5_000,
    },
    testContext(),
    7,
    { type: 'method', method: 'resources/read', params: LazyJson.of({ uri: 'x://1' }) },
    o.client,
  );
  return { result, calls };
}

function unbuilt(text: string): ToolOutcome {
  const output = new UnbuiltOutput({ kind: 'output' }, Buffer.from(text));
  return { isSuccess: true, output: {}, unbuilt: output, attempts: 1 };
}

test('the result has every secret of the connection masked, also if it was not built', async () => {
  const output = { result: { contents: [{ uri: 'x://1', text: `it is ${SECRET}` }] } };
  const masked = { result: { contents: [{ uri: 'x://1', text: 'it is ***' }] } };
  for (const answer of [
    unbuilt(JSON.stringify(output)),
    { isSuccess: true, output, attempts: 1 } satisfies ToolOutcome,
  ]) {
    const outcome = await requested(answer).result;
    expect(outcome.isSuccess && outcome.output.parse()).toEqual(masked);
  }
});

test('the client of a request is told what the server says meanwhile, secrets masked', async () => {
  const told: unknown[] = [];
  const client: CallingClient = {
    principal: 'ada',
    capabilities: {},
    wantsProgress: false,
    takesInputRequired: false,
    notify: (method, params) => void told.push([method, params]),
    request: () => Promise.reject(new Error('Nobody asks.')),
  };
  const speak = (to: CallingClient): void => to.notify('notifications/message', { data: `is ${SECRET}` });
  await requested(unbuilt('{"result":{}}'), { client, speak }).result;
  expect(told).toEqual([['notifications/message', { data: 'is ***' }]]);
});

test('an answer of a connection without secrets keeps its bytes', async () => {
  const text = '{"result": {"contents": []}}';
  const outcome = await requested(unbuilt(text), { secrets: [] }).result;
  expect(outcome.isSuccess && outcome.output.text).toBe(text);
});

test.each(['', '{', '"text"', '{"result":1} x'])('a worker that returns %j has no result', async (text) => {
  expect(await requested(unbuilt(text)).result).toEqual({
    isSuccess: false,
    errorMessage: 'The answer could not be read.',
    isUnauthorized: false,
  });
});

test('a failure says whether the server accepts no credential', async () => {
  const failure = { isSuccess: false, errorMessage: 'No.', attempts: 1, isUnauthorized: true } as const;
  expect(await requested(failure).result).toEqual({
    isSuccess: false,
    errorMessage: 'No.',
    isUnauthorized: true,
  });
});

test('a connection to anything but an MCP server is refused before it is called', async () => {
  const { result, calls } = requested(unbuilt('{}'), { kind: 'Regular' });
  await expect(result).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'connectionId' }],
  });
  expect(calls).toEqual([]);
});
