import { expect, it } from 'vitest';
import { UnbuiltOutput } from '../outputs/unbuilt-output.ts';
import { toolsIn } from '../testing/calls.ts';
import { parseDiscovery } from './discover-tools.ts';

const unbuilt = (text: string): UnbuiltOutput => new UnbuiltOutput({ kind: 'output' }, Buffer.from(text));

it('reads a discovery alike, built or not, and passes the tools on as they are', () => {
  const names = { serverName: 'Files,"tools":[]', serverVersion: '1' };
  const tools = [{ toolSlug: 'a', description: 'é,"tools":' }, { toolSlug: 'b' }];
  const output = { ...names, tools };
  const found = parseDiscovery(unbuilt(JSON.stringify(output)));
  expect(found).toMatchObject(names);
  expect(toolsIn(found)).toEqual(tools);
  expect(Buffer.from(found.toolsJson).toString()).toBe(JSON.stringify(tools));
  expect(parseDiscovery(output)).toEqual(found);
});

const names = '{"serverName":"a","serverVersion":"1"';
it.each([
  ['nothing', ''],
  ['no list', `${names}}`],
  ['a list that is an object', `${names},"tools":{}}`],
  ['members of its own behind the list', `${names},"tools":[],"baseUrl":"http://127.0.0.1"}`],
  ['two lists', `${names},"tools":[],"tools":[]}`],
  ['a list that does not end', `${names},"tools":[{}`],
  ['names that are no JSON', '{"serverName":,"tools":[]}'],
  ['names that are no object', '[1],"tools":[]}'],
])('refuses %s from a worker', (_what, text) => {
  expect(() => parseDiscovery(unbuilt(text))).toThrow('The list of tools could not be read.');
});
