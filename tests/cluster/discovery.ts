import { fileURLToPath } from 'node:url';
import type { Part } from './part.ts';
import { run } from './support/kubernetes.ts';

const VITEST = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));
const SUITE = 'packages/service-kit/src/discovery/kubernetes-addresses.test.ts';

/** The suite of the EndpointSlice watch, which CI runs on a double, on the real API server. */
export const discovery: Part = {
  name: 'discovery',
  async run() {
    const args = [VITEST, 'run', '--project', 'unit', SUITE];
    const output = await run(process.execPath, args, { env: { TEST_CLUSTER: '1', NO_COLOR: '1' } });
    const [, passed = '0'] = /Tests +(\d+) passed/.exec(output) ?? [];
    return {
      figures: [
        `${passed} tests of the watch of EndpointSlices passed on a double and on the real API server`,
      ],
      problems: passed === '0' ? [`no test ran:\n${output}`] : [],
    };
  },
};
