import { expect, test } from 'vitest';
import { createToolSearch } from '../../caches/tool-search.ts';
import { servedServer, servedTool } from '../../testing/served.ts';
import { readNamedCall } from './read-named-call.ts';

const { tools } = servedServer([servedTool('echo')]);
const read = (args: Readonly<Record<string, string>>) =>
  readNamedCall(
    { toolSearch: createToolSearch(1) },
    tools,
    Object.fromEntries(Object.entries(args).map(([name, json]) => [name, Buffer.from(json)])),
  );

test('a call has its tool, and the arguments as they were sent', async () => {
  const { tool, fields } = await read({ name: '"echo"', arguments: '{"n": 1.50}' });
  expect([tool.name, Buffer.from(fields['n'] ?? []).toString()]).toEqual(['echo', '1.50']);
  expect((await read({ name: '"echo"' })).fields).toEqual({});
});

test.each([
  [{ name: '"none"' }, 'NOT_FOUND'],
  [{ arguments: '{}' }, 'VALIDATION_ERROR'],
  [{ name: '"echo"', arguments: '[]' }, 'VALIDATION_ERROR'],
])('%j is refused', async (args, code) => {
  await expect(read(args)).rejects.toMatchObject({ code });
});
