import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import type { EntryIdentity, ServerChange, ServerEntry } from '../../domain/mcp-server.ts';
import { references } from '../../testing/deps.ts';
import { checkReferences } from './check-references.ts';

const check = (change: ServerChange<ServerEntry>) => checkReferences(references(), testContext(), change);

const entry = (
  connectionId: number,
  slugs: readonly string[] | null = null,
  identity: EntryIdentity = 'shared',
): ServerEntry => ({
  connectionId,
  tools: slugs && slugs.map((toolSlug) => ({ toolSlug })),
  identity,
});

it('adds the application of each connection, and binds slugs and aliases to the tools that they name', async () => {
  expect(await check({ connections: [entry(8), entry(7, ['post', 'list'], 'user'), entry(7, [])] })).toEqual([
    { connectionId: 8, applicationSlug: 'mcp-8', tools: null, identity: 'shared' },
    {
      connectionId: 7,
      applicationSlug: 'crm',
      tools: [{ toolSlug: 'post', identity: 'slug send' }, { toolSlug: 'list' }],
      identity: 'user',
    },
    { connectionId: 7, applicationSlug: 'crm', tools: [], identity: 'shared' },
  ]);
});

it('refuses identity user for a connection of which users cannot have one of their own', async () => {
  const connections = [entry(7, null, 'user'), entry(8, null, 'user')];
  await expect(check({ connections })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'connections[1].identity' }],
  });
});

it('accepts members that name what exists, or nothing', async () => {
  expect(await check({ workflowTokens: ['wf'], settings: { toolsetId: 'ts' } })).toEqual([]);
  expect(await check({ settings: { toolsetId: null } })).toEqual([]);
  expect(await check({})).toEqual([]);
});

it.each<[string, ServerChange<ServerEntry>]>([
  ['connection', { connections: [entry(7), entry(9)] }],
  ['tool lst', { connections: [entry(7, ['list', 'lst'])] }],
  // A tool of another application than the connection's.
  ['tool send', { connections: [entry(8, ['send'])] }],
  ['workflow', { workflowTokens: ['wf', 'gone'] }],
  ['toolset', { settings: { toolsetId: 'gone' } }],
])('refuses a %s that does not exist', async (noun, change) => {
  await expect(check(change)).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: `The ${noun} does not exist.`,
  });
});
