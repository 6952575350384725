/** A nats-server in a container. */
export interface ContainerNats {
  readonly url: string;
  stop(): Promise<void>;
}

const IMAGE = 'nats:2.12';
const PORT = 4222;
const START_TIMEOUT_MS = 120_000;

/**
 * Starts nats-server with JetStream in a container, for tests.
 *
 * Answers undefined where no Docker engine answers, so that the caller can use a binary instead.
 */
export async function startContainerNats(): Promise<ContainerNats | undefined> {
  // A development dependency: absent from an installation that only runs the product.
  const { GenericContainer, Wait, getContainerRuntimeClient } = await import('testcontainers');
  try {
    await getContainerRuntimeClient();
  } catch {
    return undefined;
  }
  const container = await new GenericContainer(IMAGE)
    .withCommand(['nats-server', '--jetstream', '--store_dir', '/data'])
    .withExposedPorts(PORT)
    .withWaitStrategy(Wait.forLogMessage('Server is ready'))
    .withStartupTimeout(START_TIMEOUT_MS)
    .start();
  return {
    url: `nats://${container.getHost()}:${String(container.getMappedPort(PORT))}`,
    stop: async () => {
      await container.stop();
    },
  };
}
