import type { Document } from 'mongodb';
import { MongoClient } from 'mongodb';
import { sealedCollections as agents } from '../../../services/agents/src/storage/sealed-collections.ts';
import { sealedCollections as connections } from '../../../services/connections/src/storage/sealed-collections.ts';
import { sealedCollections as delivery } from '../../../services/delivery/src/storage/sealed-collections.ts';
import { sealedCollections as gateway } from '@fairlead/rest-kit/idempotency/storage/sealed-collections';
import { sealedCollections as identity } from '../../../services/identity/src/storage/sealed-collections.ts';
import { sealedCollections as mcp } from '../../../services/mcp/src/storage/sealed-collections.ts';
import { sealedCollections as triggers } from '../../../services/triggers/src/storage/sealed-collections.ts';
import type { DevStack } from '../../setup/dev-stack.ts';

/** Collections with sealed values, as each service declares them to `openSealing`. */
const declared = { agents, connections, delivery, gateway, identity, mcp, triggers };
const SEALED = /^s1\.[^.]+\.[\w-]+$/;
const SYSTEM = new Set(['admin', 'config', 'local']);

/**
 * Places in a stack's databases (`<database>.<collection>.<path>`) with undeclared sealed text: its values would be lost when data keys are
 * replaced (ADR 28).
 */
export async function undeclaredSealing({ mongodbUri }: Pick<DevStack, 'mongodbUri'>): Promise<string[]> {
  const known = new Set(
    Object.entries(declared).flatMap(([service, collections]) =>
      collections.flatMap(({ definition, fields }) =>
        fields.map(({ path }) => `fairlead_${service}.${definition.name}.${path}`),
      ),
    ),
  );
  const found = new Set<string>();
  const client = new MongoClient(mongodbUri);
  try {
    const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
    for (const { name } of databases.filter((database) => !SYSTEM.has(database.name)))
      for (const collection of await client.db(name).collections())
        for await (const document of collection.find())
          for (const path of sealedPaths(document)) found.add(`${name}.${collection.collectionName}.${path}`);
  } finally {
    await client.close();
  }
  return [...found].filter((place) => !known.has(place)).toSorted();
}

function sealedPaths(document: Document): string[] {
  return Object.entries(document).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === 'string') return SEALED.test(value) ? [name] : [];
    return isContainer(value) ? sealedPaths(value).map((path) => `${name}.${path}`) : [];
  });
}

/** Whether a value has own members; dates, ids and binary data have none. */
function isContainer(value: unknown): value is Document {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}
