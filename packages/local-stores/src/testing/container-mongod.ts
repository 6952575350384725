import { REPLICA_SET, becomePrimary } from '@fairlead/replica-set/replica-set';

export interface ContainerMongod {
  readonly uri: string;
  stop(): Promise<void>;
}

const IMAGE = 'mongo:8.0';
const PORT = 27017;
const START_TIMEOUT_MS = 120_000;

/**
 * Starts mongod as a one-node replica set in a container, for tests.
 *
 * Answers undefined where no Docker engine answers, so that the caller can use a binary instead.
 */
export async function startContainerMongod(): Promise<ContainerMongod | undefined> {
  // A development dependency: absent from an installation that only runs the product.
  const { GenericContainer, Wait, getContainerRuntimeClient } = await import('testcontainers');
  try {
    await getContainerRuntimeClient();
  } catch {
    return undefined;
  }
  const container = await new GenericContainer(IMAGE)
    // Command and log message are given here, so that an image without an entry script or a shell works as well.
    .withCommand(['mongod', '--replSet', REPLICA_SET, '--bind_ip_all', '--wiredTigerCacheSizeGB', '0.25'])
    .withExposedPorts(PORT)
    .withWaitStrategy(Wait.forLogMessage('Waiting for connections'))
    .withStartupTimeout(START_TIMEOUT_MS)
    .start();
  const address = `${container.getHost()}:${String(container.getMappedPort(PORT))}`;
  await becomePrimary({
    address,
    member: `127.0.0.1:${String(PORT)}`,
    signal: AbortSignal.timeout(START_TIMEOUT_MS),
  });
  return {
    // The member's address is valid inside the container only, so the driver must not connect to it.
    uri: `mongodb://${address}/?directConnection=true`,
    stop: async () => {
      await container.stop();
    },
  };
}
