import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { connectorHandlers } from './handlers.ts';

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

it('rejects names that no manifest may use', async () => {
  await expect(connectorHandlers('http', 'constructor')).rejects.toThrow('has no handler');
  await expect(connectorHandlers('nowhere', 'sendRequest')).rejects.toThrow('has no handler');
});
