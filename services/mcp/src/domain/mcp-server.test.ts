import { ApiError } from '@fairlead/errors/api-error';
import { describe, expect, it } from 'vitest';
import { checkServer } from './mcp-server.ts';
import type { ServerChange, ServerEntry } from './mcp-server.ts';

const entry = (connectionId: number, slugs: readonly string[] | null = null): ServerEntry => ({
  connectionId,
  tools: slugs && slugs.map((toolSlug) => ({ toolSlug })),
  identity: 'shared',
});

/** The refused fields of a change. */
function refusedFor(change: ServerChange<ServerEntry>): readonly string[] {
  try {
    checkServer(change);
    return [];
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'VALIDATION_ERROR') throw error;
    return (error.details ?? []).map(({ field }) => field);
  }
}

const many = <T>(count: number, item: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => item(index));

describe('the members of a server', () => {
  it.each<[string, ServerChange<ServerEntry>]>([
    ['nothing', {}],
    ['a name of 200 characters', { name: '😀'.repeat(200), description: 'é'.repeat(2_000) }],
    ['100 connections with 1 000 tools', { connections: many(100, (at) => entry(at + 1, many(10, String))) }],
    ['100 workflows', { workflowTokens: many(100, String) }],
    ['empty lists', { connections: [entry(1, [])], workflowTokens: [] }],
    ['a budget of 1 token', { settings: { contextBudget: 1 } }],
    ['no budget and no toolset', { settings: { contextBudget: null, toolsetId: null } }],
  ])('may be %s', (_name, change) => {
    expect(refusedFor(change)).toEqual([]);
  });

  it.each<[string, ServerChange<ServerEntry>, readonly string[]]>([
    ['no name', { name: '' }, ['name']],
    ['a longer name', { name: 'x'.repeat(201) }, ['name']],
    ['a longer description', { description: 'x'.repeat(2_001) }, ['description']],
    ['more connections', { connections: many(101, (at) => entry(at + 1)) }, ['connections']],
    ['more tools', { connections: [entry(1, many(1_001, String))] }, ['connections']],
    ['more workflows', { workflowTokens: many(101, String) }, ['workflows']],
    ['a connection that cannot be', { connections: [entry(1), entry(0)] }, ['connections[1].connectionId']],
    ['a connection twice', { connections: [entry(1), entry(1)] }, ['connections[1].connectionId']],
    ['a workflow twice', { workflowTokens: ['a', 'b', 'a'] }, ['workflows[2].workflowToken']],
    ['a budget of nothing', { settings: { contextBudget: 0 } }, ['contextBudget']],
    ['a fractional budget', { settings: { contextBudget: 1.5 } }, ['contextBudget']],
    ['a toolset that cannot be', { settings: { toolsetId: '7' } }, ['toolsetId']],
    ['several of these', { name: '', workflowTokens: ['a', 'a'] }, ['name', 'workflows[1].workflowToken']],
  ])('are refused for %s, naming the member', (_name, change, fields) => {
    expect(refusedFor(change)).toEqual(fields);
  });

  it('name each tool of an entry once, in order', () => {
    expect(checkServer({ connections: [entry(1, ['b', 'a', 'b'])] })).toEqual({
      connections: [entry(1, ['b', 'a'])],
    });
  });
});
