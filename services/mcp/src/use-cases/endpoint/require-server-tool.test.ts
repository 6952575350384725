import { expect, test } from 'vitest';
import { createToolSearch } from '../../caches/tool-search.ts';
import { servedServer, servedTool } from '../../testing/served.ts';
import { requireServerTool } from './require-server-tool.ts';

const { tools } = servedServer([servedTool('crm-create-invoice'), servedTool('held', { isHeld: true })]);
const deps = { toolSearch: createToolSearch(1) };

test('a tool is found by its name, also one that is held', async () => {
  expect((await requireServerTool(deps, tools, 'crm-create-invoice')).name).toBe('crm-create-invoice');
  expect((await requireServerTool(deps, tools, 'held')).isHeld).toBe(true);
});

test.each([
  ['crm-create-invoices', ['crm-create-invoice']],
  ['helds', []],
  ['???', []],
])('%s is not found; similar tools are named, but none that is held', async (name, candidates) => {
  await expect(requireServerTool(deps, tools, name)).rejects.toMatchObject({ code: 'NOT_FOUND', candidates });
});
