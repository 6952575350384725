import { expect, it } from 'vitest';
import { createSessionFetch } from './session-fetch.ts';
import { createSessionMessages } from './session-messages.ts';

const listOf = (id: number, count: number): object => ({
  jsonrpc: '2.0',
  id,
  result: { tools: Array.from({ length: count }, (_, index) => ({ name: `tool-${index}` })) },
});

it('passes on 2 000 tools in all, however many lists the server sends', async () => {
  const lists = [listOf(1, 2_500), listOf(2, 3_000), listOf(3, 10)];
  const fetch = createSessionFetch(() => Promise.resolve(Response.json(lists)), createSessionMessages());
  const response = await fetch('https://mcp.example/', { method: 'POST' });
  const passed = (await response.json()) as { readonly result: { readonly tools: readonly object[] } }[];
  expect(passed.map(({ result }) => result.tools.length)).toEqual([2_000, 0, 0]);
});
