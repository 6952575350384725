import { MongoClient } from 'mongodb';
import { createStore } from '../mongo/mongo.ts';
import type { MongoStore } from '../mongo/mongo.ts';

/** A store on an existing database that records the commands that it sends for a collection. */
export interface MonitoredStore extends MongoStore {
  /** The commands for `collection` since the last call, in order. */
  takeSent(collection: string): readonly string[];
}

/** Opens another client on a database. Tests count its commands, so they need not measure time. */
export async function monitoredStore(uri: string, database: string): Promise<MonitoredStore> {
  const client = await MongoClient.connect(uri, { monitorCommands: true });
  const sent: { readonly name: string; readonly collection: unknown }[] = [];
  client.on('commandStarted', ({ commandName, command }) => {
    sent.push({ name: commandName, collection: command[commandName] });
  });
  return {
    ...createStore(client, client.db(database)),
    takeSent: (collection) =>
      sent
        .splice(0)
        .filter((each) => each.collection === collection)
        .map(({ name }) => name),
  };
}
