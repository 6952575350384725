import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestMongod } from '@fairlead/local-stores/testing/mongod';
import { MongoClient } from 'mongodb';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A real one-node replica set; each test file uses its own database in it. */
    mongodbUri: string;
  }
}

/**
 * Starts one real mongod for the integration tests of this run (TEST_CONTAINERS=1: in a container if a Docker engine
 * is available), or uses the one that MONGODB_URI names.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['MONGODB_URI'];
  if (given !== undefined) {
    project.provide('mongodbUri', given);
    return () => Promise.resolve();
  }
  const dataDirectory = await mkdtemp(join(tmpdir(), 'fairlead-test-mongod-'));
  const mongod = await startTestMongod({ dataDirectory, log: console.log });
  await keepExpired(mongod.uri);
  project.provide('mongodbUri', mongod.uri);
  return async () => {
    await mongod.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  };
}

/** No TTL deletion: many tests have their own clock, and their documents would have expired by MongoDB's. */
async function keepExpired(uri: string): Promise<void> {
  const client = await MongoClient.connect(uri);
  await client.db('admin').command({ setParameter: 1, ttlMonitorEnabled: false });
  await client.close();
}
