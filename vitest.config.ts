import { defineConfig } from 'vitest/config';

/** Node modules and data of running stacks hold no tests. */
const exclude = ['**/node_modules/**', '**/.fairlead/**'];

/** Conditions are waited for as long as a busy machine may need; a test that waits in vain says for what. */
const patience = { poll: { timeout: 90_000 } };

/**
 * Eleven kinds of tests, told apart by where they stand and how they are named:
 * - unit: beside the code, no store, no stack;
 * - integration: beside the code, against a real mongod and a real nats-server that the set-up starts once; files that
 *   open a peer, named `*.rpc.integration.test.ts`, a second time over gRPC (integration-grpc);
 * - contract: over HTTP against the whole stack, two files at a time and then those that need it alone (contract-alone),
 *   grouped by rows of the contract, and suites of others that clients and servers are measured with; at the end every
 *   secret of the run is looked for in all that the stack wrote and answered;
 * - conformance: the suite of the Model Context Protocol once more, on a stack with three replicas behind a round-robin;
 * - e2e: the newcomer's walk, with a real browser, and that the bench runs;
 * - observability: what logs, metrics and traces of a whole, traced stack show, and that no secret is in them;
 * - faults: processes and stores of a whole stack are killed, frozen, stopped and cut off while calls run;
 * - helm: objects that the chart renders, under both releases of Helm;
 * - vendors: sign-ins, lists, limits and errors of five vendors, played by doubles, over HTTP against the whole stack;
 * - vendor-sdks: SDKs of vendors at a recorder, after `npm ci` in that folder: tools of verified applications send what they send;
 * - hostile: clients and vendors of one account attack a whole stack while another account uses it.
 */
export default defineConfig({
  test: {
    reporters: ['default'],
    // A stack stops in order, and what it has left behind is searched for secrets. After this time vitest exits without either.
    teardownTimeout: 600_000,
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            '{packages,services,samples,tools}/*/src/**/*.test.ts',
            'connectors/**/*.test.ts',
            'deploy/docker/**/*.test.ts',
            'tests/architecture/**/*.test.ts',
            'tests/bench/search/**/*.test.ts',
            'tests/catalogue/**/*.test.ts',
          ],
          exclude: [...exclude, '**/*.integration.test.ts', 'tests/catalogue/vendors/**'],
          globalSetup: ['tests/setup/priority.global.ts'],
          expect: patience,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // Nothing here replaces modules or globals, and a fresh module graph a file costs half of the time.
          isolate: false,
          // Much of their time is waiting for child processes and timers.
          maxWorkers: '100%',
        },
      },
      {
        // Needs `npm ci` in that folder: SDKs of vendors are no dependency of ours.
        test: {
          name: 'vendor-sdks',
          include: ['tests/vendor-sdks/*.test.ts'],
          exclude,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: [
            '{packages,services,samples,tools}/*/src/**/*.integration.test.ts',
            'connectors/**/*.integration.test.ts',
            'deploy/docker/**/*.integration.test.ts',
          ],
          exclude,
          globalSetup: [
            'tests/setup/mongo.global.ts',
            'tests/setup/nats.global.ts',
            'tests/setup/worker-priority.global.ts',
          ],
          expect: patience,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // Each file has databases of its own, and much of its time is waiting for a store, a process or a deadline. A share
          // of the cores would be bounded by their number. Projects of other numbers of workers run before or after.
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // What opens a peer, once more over gRPC; tests/architecture/rpc-tests.test.ts holds the names to it.
        test: {
          name: 'integration-grpc',
          include: ['{packages,services}/*/src/**/*.rpc.integration.test.ts'],
          exclude,
          env: { RPC_TRANSPORT: 'grpc' },
          globalSetup: [
            'tests/setup/mongo.global.ts',
            'tests/setup/nats.global.ts',
            'tests/setup/worker-priority.global.ts',
          ],
          expect: patience,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // Each file has databases of its own, and much of its time is waiting for a store, a process or a deadline. A share
          // of the cores would be bounded by their number. Projects of other numbers of workers run before or after.
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'contract',
          include: ['tests/contract/**/*.test.ts', 'tests/conformance/**/*.test.ts'],
          exclude: [...exclude, '**/*.alone.test.ts'],
          globalSetup: ['tests/setup/contract-stack.global.ts', 'tests/setup/worker-priority.global.ts'],
          expect: patience,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // Each file has accounts of its own.
          maxWorkers: 2,
        },
      },
      {
        // What touches more than accounts: every file says what. Runs on the same stack, after the others.
        test: {
          name: 'contract-alone',
          include: ['tests/contract/**/*.alone.test.ts'],
          exclude,
          globalSetup: ['tests/setup/contract-stack.global.ts', 'tests/setup/worker-priority.global.ts'],
          expect: patience,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'conformance',
          include: ['tests/conformance/{server,client}.test.ts'],
          exclude,
          globalSetup: ['tests/setup/conformance-stack.global.ts'],
          expect: patience,
          testTimeout: 600_000,
          hookTimeout: 300_000,
          // Each file has accounts of its own.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts', 'tests/bench/**/*.test.ts'],
          exclude: [...exclude, 'tests/bench/search/**'],
          globalSetup: ['tests/setup/stack.global.ts'],
          expect: patience,
          testTimeout: 600_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'observability',
          include: ['tests/observability/**/*.test.ts'],
          exclude,
          globalSetup: ['tests/setup/observed-stack.global.ts'],
          expect: patience,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // The files share the seeded account, whose default connections are account-wide.
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'faults',
          include: ['tests/faults/**/*.test.ts'],
          exclude,
          globalSetup: ['tests/setup/replicated-stack.global.ts'],
          expect: patience,
          testTimeout: 600_000,
          hookTimeout: 300_000,
          // The files break parts of one stack.
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'helm',
          include: ['tests/helm/**/*.test.ts'],
          exclude,
          globalSetup: ['tests/setup/helm.global.ts'],
          expect: patience,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'vendors',
          include: ['tests/catalogue/vendors/**/*.test.ts'],
          exclude,
          globalSetup: ['tests/setup/vendor-stack.global.ts'],
          expect: patience,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // Each file has accounts and a vendor of its own.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'hostile',
          include: ['tests/hostile/**/*.test.ts'],
          exclude,
          globalSetup: ['tests/setup/hostile-stack.global.ts'],
          expect: patience,
          testTimeout: 600_000,
          hookTimeout: 300_000,
          // The files measure what the services spend.
          fileParallelism: false,
        },
      },
    ],
  },
});
