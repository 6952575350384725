import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { expect, it } from 'vitest';
import { changedSend, changingServer, upstream } from '../../testing/changing-server.ts';
import { entry } from '../../testing/served.ts';

it('tools that come from no MCP server are never held, nor is any tool unless the server says so', async () => {
  const { serve, stored } = changingServer();
  await serve();
  expect(await stored()).toEqual(['send']);
  const off = changingServer({ settings: { holdChangedTools: false } });
  await off.serve();
  off.set(changedSend);
  expect([await off.serve(), await off.record(), await off.stored()]).toEqual([[], [], []]);
});

it('nothing is kept of a connection that the server no longer has, nor of a server that is gone', async () => {
  const { serve, stored } = changingServer();
  await serve();
  await serve([entry(7)]);
  expect(await stored()).toEqual([]);
  const gone = changingServer({ isGone: true });
  await gone.serve();
  expect(await gone.stored()).toEqual([]);
});

it('a server keeps a bounded number of definitions of tools that are gone', async () => {
  const { serve, stored, set } = changingServer();
  const many = (prefix: string) => Array.from({ length: 1_900 }, (_tool, at) => upstream(`${prefix}-${at}`));
  for (const prefix of ['one', 'two']) {
    set(...many(prefix));
    await serve();
  }
  set();
  await serve();
  expect(await stored()).toHaveLength(3_800);
  set(...many('three'));
  await serve();
  expect((await stored()).filter((slug) => !slug.startsWith('three'))).toEqual([]);
  expect(await stored()).toHaveLength(1_900);
});

it('a schema that changed holds the tool', async () => {
  const { serve, set } = changingServer();
  await serve();
  set(upstream('send', { inputSchema: LazyJson.of({ type: 'object' }) }));
  expect(await serve()).toEqual(['send']);
});
