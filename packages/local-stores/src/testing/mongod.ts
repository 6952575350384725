import { startMongod } from '../mongod.ts';
import { startContainerMongod } from './container-mongod.ts';

/** A mongod for the tests of one run. */
export interface TestMongod {
  readonly uri: string;
  stop(): Promise<void>;
}

/**
 * Starts a mongod for tests: in a container if TEST_CONTAINERS is 1 and a Docker engine answers, otherwise with the binary that {@link
 * startMongod} finds or fetches. As root on Debian, installs missing shared libraries and logs that, because tests must not need any manual
 * setup.
 */
export async function startTestMongod(o: {
  dataDirectory: string;
  log: (line: string) => void;
}): Promise<TestMongod> {
  if (process.env['TEST_CONTAINERS'] === '1') {
    const container = await startContainerMongod();
    if (container !== undefined) return container;
    o.log('TEST_CONTAINERS is 1, but no Docker engine answers: using a mongod binary');
  }
  return startMongod({ ...o, installSystemPackages: true });
}
