import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestNats } from '@fairlead/local-stores/testing/nats';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A real nats-server with JetStream; tests that share it use their own accounts and streams. */
    natsUrl: string;
  }
}

/**
 * Starts one real nats-server for the integration tests of this run (TEST_CONTAINERS=1: in a container if a Docker
 * engine is available), or uses the one that NATS_URL names.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['NATS_URL'];
  if (given !== undefined) {
    project.provide('natsUrl', given);
    return () => Promise.resolve();
  }
  const dataDirectory = await mkdtemp(join(tmpdir(), 'fairlead-test-nats-'));
  const nats = await startTestNats({ dataDirectory, log: console.log });
  project.provide('natsUrl', nats.url);
  return async () => {
    await nats.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  };
}
