import { expect, test } from 'vitest';
import { createToolSearch } from '../../caches/tool-search.ts';
import { servedServer, servedTool } from '../../testing/served.ts';
import { describeServerTool } from './describe-server-tool.ts';

const { tools } = servedServer([servedTool('echo'), servedTool('held', { isHeld: true })]);
const describeTool = (name: unknown) =>
  describeServerTool({ toolSearch: createToolSearch(1) }, tools, { name: Buffer.from(JSON.stringify(name)) });

test('a tool is shown as in the list', async () => {
  expect((await describeTool('echo')).structuredContent?.parse()).toEqual({ name: 'echo' });
});

test('a tool that is held is as unknown as one that does not exist', async () => {
  for (const name of ['held', 'none'])
    await expect(describeTool(name)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(describeTool(7)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});
