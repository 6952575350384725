import { startNatsServer } from '../nats-server.ts';
import { startContainerNats } from './container-nats.ts';

/** A nats-server for the tests of one run. */
export interface TestNats {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts a nats-server for tests: in a container if TEST_CONTAINERS is 1 and a Docker engine answers, otherwise with the binary that {@link
 * startNatsServer} finds or fetches.
 */
export async function startTestNats(o: {
  dataDirectory: string;
  log: (line: string) => void;
}): Promise<TestNats> {
  if (process.env['TEST_CONTAINERS'] === '1') {
    const container = await startContainerNats();
    if (container !== undefined) return container;
    o.log('TEST_CONTAINERS is 1, but no Docker engine answers: using a nats-server binary');
  }
  return startNatsServer(o);
}
