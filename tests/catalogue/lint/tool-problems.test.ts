import type { JsonObject } from '@fairlead/connector-model/json';
import { compiled, getThing } from '@fairlead/connector-model/testing/manifest';
import { expect, it } from 'vitest';
import { compatOf, toolProblems } from './tool-problems.ts';

const connector = compiled({});
const [tool] = connector.tools;
if (tool === undefined) throw new Error('no tool');
const exempt = { slug: () => false, few: () => true };
const slugged = (toolSlug: string) => compiled({ tools: [{ ...getThing, toolSlug }] });

it('a tool of each application can be given to every model, under its own name', () => {
  expect(toolProblems(connector, exempt)).toEqual([]);
  expect(toolProblems(slugged(`acme-get-${'x'.repeat(60)}`), exempt)).toEqual([
    { path: ['tools', 0, 'toolSlug'], message: 'is longer than 64 characters' },
  ]);
});

it('the slug of a tool is a verb and a noun after the application', () => {
  const problem = {
    path: ['tools', 0, 'toolSlug'],
    message: 'must be a verb and a noun after the application',
  };
  expect(toolProblems(slugged('acme-search'), exempt)).toEqual([problem]);
  expect(toolProblems(slugged('acme-thing-get'), exempt)).toEqual([problem]);
  const named = { ...exempt, slug: (toolSlug: string) => toolSlug === 'acme-search' };
  expect(toolProblems(slugged('acme-search'), named)).toEqual([]);
});

it('an application has at least ten tools, and at most as many as a person would choose from', () => {
  const tools = Array.from({ length: 61 }, () => tool);
  expect(toolProblems({ ...connector, tools }, exempt)).toEqual([
    { path: ['operations'], message: 'has 61 tools, more than 60' },
  ]);
  expect(toolProblems(connector, { ...exempt, few: () => false })).toEqual([
    { path: ['operations'], message: `has ${String(connector.tools.length)} tools, fewer than 10` },
  ]);
});

it('a category is written in one way', () => {
  const message = 'must be lower-case words with spaces';
  const categories = ['developer tools', 'developer-tools', 'Email', 'crm'];
  expect(toolProblems({ ...connector, categories }, exempt)).toEqual([
    { path: ['categories', 1], message },
    { path: ['categories', 2], message },
  ]);
});

it('each member of an input has a description, at any depth', () => {
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
  expect(toolProblems({ ...connector, tools: [{ ...tool, inputSchema }] }, exempt)).toEqual([
    { path: ['tools', 0, 'inputSchema'], message: 'owners.email has no description' },
  ]);
});

it('a tool that deletes is destructive', () => {
  const request = { method: 'DELETE', url: '/things/{{input.id}}' };
  const deleting = (isDestructive: boolean) =>
    compiled({ tools: [{ ...getThing, retryClass: 'idempotent', isDestructive, request }] });
  expect(toolProblems(deleting(false), exempt)).toEqual([
    { path: ['tools', 0, 'isDestructive'], message: 'must be true, because the method is DELETE' },
  ]);
  expect(toolProblems(deleting(true), exempt)).toEqual([]);
});

it('schemas have at most twelve levels', () => {
  const nested = (levels: number): JsonObject =>
    levels === 0
      ? { type: 'string' }
      : { type: 'object', properties: { inner: { description: 'Part.', ...nested(levels - 1) } } };
  const problemsOf = (levels: number) =>
    toolProblems({ ...connector, tools: [{ ...tool, outputSchema: nested(levels) }] }, exempt);
  expect(problemsOf(5)).toEqual([]);
  expect(problemsOf(6)).toEqual([{ path: ['tools', 0, 'outputSchema'], message: 'has more than 12 levels' }]);
});

it('an output is stated, unless the answer is empty', () => {
  const answering = (members: JsonObject) =>
    toolProblems(compiled({ tools: [{ ...getThing, ...members }] }), exempt);
  const outputSchema = { type: 'object', properties: {} };
  expect(answering({ outputSchema })).toEqual([
    { path: ['tools', 0, 'outputSchema'], message: 'needs properties or a description' },
  ]);
  expect(answering({ outputSchema: { type: 'object', description: 'Values by name.' } })).toEqual([]);
  expect(answering({ outputSchema, response: { type: 'empty' } })).toEqual([]);
});

it('says which models take the inputs as they are', () => {
  const inputSchema = { type: 'object', properties: { id: { type: 'string', minLength: 1 } } };
  expect(compatOf({ inputSchema })).toEqual(['anthropic', 'gemini']);
  const strict = {
    type: 'object',
    properties: { id: { type: 'string' } },
    required: ['id'],
    additionalProperties: false,
  };
  expect(compatOf({ inputSchema: strict })).toEqual(['openai-strict', 'anthropic']);
});
