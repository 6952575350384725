import { compiled, getThing } from '@fairlead/connector-model/testing/manifest';
import { expect, it } from 'vitest';
import { toolProblems, toolWarnings } from './tool-problems.ts';

const connector = compiled({});
const [tool] = connector.tools;
if (tool === undefined) throw new Error('no tool');

it('a tool of each application can be given to every model, under its own name', () => {
  expect(toolProblems(connector)).toEqual([]);
  const toolSlug = `acme-get-${'x'.repeat(60)}`;
  expect(toolProblems(compiled({ tools: [{ ...getThing, toolSlug }] }))).toEqual([
    { path: ['tools', 0, 'toolSlug'], message: 'is longer than 64 characters' },
  ]);
});

it('an application has at most as many tools as a person would choose from', () => {
  const tools = Array.from({ length: 61 }, () => tool);
  expect(toolProblems({ ...connector, tools })).toEqual([
    { path: ['operations'], message: 'has 61 tools, more than 60' },
  ]);
});

it('warns of few tools, and of members that nobody describes, at any depth', () => {
  const inputSchema = {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'Id of the thing.' },
      owners: {
        type: 'array',
        description: 'Owners.',
        items: { type: 'object', properties: { email: { type: 'string' } } },
      },
    },
  };
  expect(toolWarnings({ ...connector, tools: [{ ...tool, inputSchema }] })).toEqual([
    'acme: has 1 tools only',
    'acme-get-thing: owners.email has no description',
  ]);
});
