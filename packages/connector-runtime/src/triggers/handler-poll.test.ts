import { expect, it } from 'vitest';
import type { HandlerCall } from '../handler.ts';
import { testCall, testConnector, testCredential, testOptions, testTool } from '../testing/calls.ts';
import { testRuntime } from '../testing/vendor.ts';
import { triggerTool } from './trigger-tool.ts';

it('a poll of a connector with a handler is read by it, with configuration, time, cursor and credential', async () => {
  const calls: HandlerCall[] = [];
  const runtime = testRuntime((slug, name) => {
    expect([slug, name]).toEqual(['db', 'rowsCreated']);
    return Promise.resolve((call) => {
      calls.push(call);
      return Promise.resolve({ cursor: { since: '1', known: [] } });
    });
  });
  const now = new Date('2026-11-29T12:00:00.000Z');
  const recipe = { handler: 'rowsCreated' };
  const connector = testConnector({ slug: 'db' });
  const credential = testCredential({ host: 'h' });
  const { tool: _tool, ...rest } = testCall(testTool({ type: 'handler', handler: 'x' }), {
    connector,
    credential,
    fields: { table: 't' },
  });
  const cursor = { since: null, known: ['a'] };
  for (const trigger of [
    { type: 'seed', recipe, now },
    { type: 'poll', recipe, now, cursor },
  ] as const) {
    const tool = triggerTool({ slug: 'row-created' }, trigger);
    expect(await runtime.execute({ ...rest, tool }, testOptions())).toMatchObject({
      isSuccess: true,
      output: { cursor: { since: '1', known: [] } },
    });
  }
  expect(calls.map(({ fields }) => fields)).toEqual([
    { table: 't', now: now.toISOString() },
    { table: 't', now: now.toISOString(), cursor },
  ]);
  expect(calls.map((call) => call.credential)).toEqual([credential, credential]);
});
