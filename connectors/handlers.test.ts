import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Handler } from '@fairlead/connector-runtime/handler';
import { connectorHandlers, createConnectorHandlers } from './handlers.ts';

/** Every `handler: name` in a manifest, at any depth. */
function handlerNames(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) =>
    key === 'handler' && typeof member === 'string' ? [member] : handlerNames(member),
  );
}

async function manifestHandlers(): Promise<{ slug: string; handler: string }[]> {
  const entries = await readdir(import.meta.dirname, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && entry.name !== 'node_modules');
  const named = await Promise.all(
    folders.map(async ({ name: slug }) => {
      const manifest: unknown = parse(
        await readFile(`${import.meta.dirname}/${slug}/connector.yaml`, 'utf8'),
        { maxAliasCount: -1 },
      );
      return handlerNames(manifest).map((handler) => ({ slug, handler }));
    }),
  );
  return named.flat();
}

it('has a handler for every name in a manifest', async () => {
  const named = await manifestHandlers();
  expect(named).toContainEqual({ slug: 'http', handler: 'sendRequest' });
  for (const { slug, handler } of named) {
    await expect(connectorHandlers(slug, handler), `${slug} ${handler}`).resolves.toBeTypeOf('function');
  }
});

it('a service runs handlers of databases and MCP servers in workers, and others itself', async () => {
  const isolated: Handler = () => Promise.resolve({});
  const registry = createConnectorHandlers({ handler: () => isolated });
  expect(await registry('postgresql', 'runQuery')).toBe(isolated);
  expect(await registry('mcp', 'callTool')).toBe(isolated);
  expect(await registry('http', 'sendRequest')).toBe(await connectorHandlers('http', 'sendRequest'));
});

it('rejects names that no manifest may use', async () => {
  await expect(connectorHandlers('http', 'constructor')).rejects.toThrow('has no handler');
  await expect(connectorHandlers('nowhere', 'sendRequest')).rejects.toThrow('has no handler');
});
