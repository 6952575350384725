import type { Document } from 'mongodb';
import { randomBase62 } from '../ids.ts';
import { createLogger } from '../telemetry/logger.ts';
import { connectMongo } from '../mongo/mongo.ts';
import type { MongoStore } from '../mongo/mongo.ts';
import type { CollectionDefinition } from '../mongo/collection.ts';
import type { Migration } from '../mongo/schema.ts';
import { Secret } from '../secret.ts';

/** A store on a fresh database with a random name and the given collections; `drop` deletes the database and disconnects. */
export async function testStore(
  uri: string,
  collections: readonly CollectionDefinition<Document>[],
  migrations: readonly Migration[] = [],
): Promise<MongoStore & { drop(): Promise<void> }> {
  const store = await connectMongo({
    uri: new Secret(uri),
    database: `test_${randomBase62(16)}`,
    log: createLogger({ service: 'test', level: 'silent' }),
    collections,
    migrations,
  });
  return {
    ...store,
    async drop() {
      await store.db.dropDatabase();
      await store.close();
    },
  };
}
