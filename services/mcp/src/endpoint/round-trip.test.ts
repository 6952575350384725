import { testContext } from '@fairlead/service-kit/testing/context';
import { jsonText, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyValue } from '@fairlead/service-kit/json/lazy-json';
import { expect, test } from 'vitest';
import type { ToolInputs } from '../domain/mcp-client.ts';
import { channelDeps, unaryChannel } from '../testing/clients.ts';
import { openRoundTrip } from './round-trip.ts';

const { deps } = channelDeps();
const user = testContext();
const confirm = { name: 'confirm', method: 'elicitation/create', params: { message: 'Sure?' } } as const;
const call = { name: 'delete', arguments: { id: 1, all: true } };

type Result = Readonly<Record<string, unknown>>;

/** The result of a request with these params; `work` can ask questions with `ask`. */
async function round(
  params: object,
  work: (o: {
    readonly ask: () => Promise<unknown>;
    readonly inputs: ToolInputs | undefined;
  }) => Promise<Record<string, LazyValue>>,
  { ctx = user, method = 'tools/call', serverId = 's' } = {},
): Promise<Result> {
  const members = Object.entries(params).map(
    ([name, value]) => [name, Buffer.from(JSON.stringify(value))] as const,
  );
  const trip = await openRoundTrip(deps, ctx, serverId, { method, params: new Map(members) });
  const channel = unaryChannel({ isStateless: true, capabilities: { elicitation: {} } }, trip.answers);
  const ask = () => channel.ask(ctx, confirm);
  return JSON.parse(jsonText(await trip.run(() => work({ ask, inputs: trip.inputs })))) as Result;
}

const askThen =
  (result: Record<string, LazyValue>) =>
  async ({ ask }: { readonly ask: () => Promise<unknown> }) => {
    const answer = JSON.stringify(await ask());
    return { ...result, answer };
  };
const inputsOf = (inputs: ToolInputs | undefined) =>
  inputs && { responses: Buffer.from(inputs.responses).toString(), state: inputs.state };

test('a question is asked in the result, and its answer comes with the same request', async () => {
  const asked = await round(call, askThen({}));
  expect(asked).toMatchObject({
    resultType: 'input_required',
    inputRequests: { confirm: { method: 'elicitation/create', params: { message: 'Sure?' } } },
  });
  const { requestState } = asked;
  const inputResponses = { confirm: { action: 'accept' } };
  const again = { arguments: { all: true, id: 1 }, name: 'delete', _meta: { other: 1 } };
  const result = await round({ ...again, inputResponses, requestState }, askThen({ done: true }));
  expect(result).toEqual({ done: true, answer: '{"kind":"result","result":{"action":"accept"}}' });
});

test('an answer without the question’s state counts for nothing', async () => {
  const inputResponses = { confirm: { action: 'accept' } };
  expect(await round({ ...call, inputResponses }, askThen({}))).toMatchObject({
    resultType: 'input_required',
  });
});

test.each([
  ['other arguments', { arguments: { id: 2 } }, {}],
  ['another user', {}, { ctx: testContext() }],
  ['another server', {}, { serverId: 't' }],
  ['another method', {}, { method: 'prompts/get' }],
])('a state holds for no request with %s', async (_what, params, o) => {
  const { requestState } = await round(call, askThen({}));
  const inputResponses = { confirm: { action: 'accept' } };
  const replayed = round({ ...call, ...params, inputResponses, requestState }, askThen({}), o);
  await expect(replayed).rejects.toMatchObject({ code: -32_602 });
});

test('answers and state of a tool pass unchanged', async () => {
  const asking = { resultType: new LazyJson(Buffer.from('"input_required"')), requestState: 'theirs' };
  expect(await round(call, () => Promise.resolve(asking))).toEqual({
    resultType: 'input_required',
    requestState: 'theirs',
  });
  const inputResponses = { name: { n: 1 } };
  const seen: unknown[] = [];
  await round({ ...call, inputResponses, requestState: 'theirs' }, ({ inputs }) => {
    seen.push(inputsOf(inputs));
    return Promise.resolve({});
  });
  await round(call, ({ inputs }) => {
    seen.push(inputs);
    return Promise.resolve({});
  });
  expect(seen).toEqual([{ responses: '{"name":{"n":1}}', state: 'theirs' }, undefined]);
});

test('an answer to the service survives the questions of the tool', async () => {
  const asking = { resultType: 'input_required', inputRequests: { name: {} }, requestState: 'theirs' };
  const first = await round(call, askThen({}));
  const confirmed = {
    inputResponses: { confirm: { action: 'accept' } },
    requestState: first['requestState'],
  };
  const second = await round({ ...call, ...confirmed }, askThen(asking));
  expect(second).toMatchObject({ resultType: 'input_required', inputRequests: { name: {} } });
  expect(second['requestState']).not.toBe('theirs');
  const named = { inputResponses: { name: { n: 1 } }, requestState: second['requestState'] };
  const third = await round({ ...call, ...named }, async ({ ask, inputs }) => {
    await ask();
    return { content: JSON.stringify(inputsOf(inputs)) };
  });
  expect(third).toEqual({ content: JSON.stringify({ responses: '{"name":{"n":1}}', state: 'theirs' }) });
});

test.each([{ inputResponses: [] }, { requestState: 7 }])('%j is refused', async (params) => {
  await expect(round({ ...call, ...params }, askThen({}))).rejects.toMatchObject({ code: -32_602 });
});
